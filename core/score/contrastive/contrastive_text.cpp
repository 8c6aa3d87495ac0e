#include "core/score/contrastive/contrastive_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/score/report/text_table.h"

namespace phraseq::score {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSignificant = 0.05;

std::string_view verdict(const PairScores& scores) {
  if (scores.right())
    return "right";
  return scores.tie() ? "tie" : "wrong";
}

TableCell accuracy_cell(const Accuracy& accuracy, const Accuracy& baseline) {
  TableCell cell = {{fmt::format(
      "{:.4f} ({:.4f} to {:.4f})", accuracy.value(), accuracy.low(), accuracy.high())}};
  if (accuracy.p_value) {
    cell.push_back({fmt::format("{:+.4f} (p = {:.4f}){}",
                                accuracy.value() - baseline.value(),
                                *accuracy.p_value,
                                *accuracy.p_value < kSignificant ? "*" : "")});
  }
  return cell;
}

TableRow table_row(const AccuracyRow& row) {
  TableRow cells = {{{row.name}}, {{std::to_string(row.pairs)}}};
  for (const auto& accuracy : row.systems)
    cells.push_back(accuracy_cell(accuracy, row.systems.front()));
  return cells;
}

/// A table of the rows that have pairs.
std::string draw(const ContrastiveReport& report,
                 const std::string& title,
                 const std::vector<AccuracyRow>& rows) {
  TableRow heading = {{{title}}, {{"pairs"}}};
  for (const auto& system : report.systems) heading.push_back({{system}});
  std::vector<TableRow> table = {heading};
  for (const auto& row : rows) {
    if (row.pairs > 0)
      table.push_back(table_row(row));
  }
  return draw_grid(table);
}

Json optional(const auto& value) { return value ? Json(*value) : Json(nullptr); }

Json row_json(const AccuracyRow& row, const std::vector<std::string>& names) {
  Json result = {{"name", row.name}, {"pairs", row.pairs}, {"systems", Json::array()}};
  for (size_t system = 0; system < row.systems.size(); ++system) {
    const Accuracy& accuracy = row.systems[system];
    result["systems"].push_back({{"system", names[system]},
                                 {"right", accuracy.right},
                                 {"ties", accuracy.ties},
                                 {"accuracy", accuracy.value()},
                                 {"low", accuracy.low()},
                                 {"high", accuracy.high()},
                                 {"difference", accuracy.value() - row.systems.front().value()},
                                 {"p_value", optional(accuracy.p_value)}});
  }
  return result;
}

Json table_json(const AccuracyTable& table, const std::vector<std::string>& names) {
  Json result = {{"by", table.by}, {"rows", Json::array()}};
  for (const auto& row : table.rows) {
    Json entry = row_json(row, names);
    if (table.by_distance) {
      entry["from"] = optional(row.from);
      entry["to"] = optional(row.to);
    }
    result["rows"].push_back(entry);
  }
  return result;
}

}  // namespace

std::string contrastive_text(const ContrastiveReport& report) {
  std::string text = draw(report, report.path, {report.all});
  for (const auto& table : report.tables) text += '\n' + draw(report, table.by, table.rows);
  text +=
      "\nAccuracy: how often the reference is more probable than the contrastive translation, with "
      "a 95 % confidence interval (Wilson).\n";
  for (size_t system = 0; system < report.systems.size(); ++system) {
    text += fmt::format("Ties, counted as wrong: {} ({})\n",
                        report.all.systems[system].ties,
                        report.systems[system]);
  }
  if (report.systems.size() > 1) {
    text += fmt::format(
        "Below: the difference from {}, and the p-value of McNemar's exact test; * marks it below "
        "{}.\n",
        report.systems.front(),
        kSignificant);
  }
  return text;
}

std::string contrastive_json(const ContrastiveReport& report) {
  Json result = {{"file", report.path},
                 {"all", row_json(report.all, report.systems)},
                 {"groups", Json::array()}};
  for (const auto& table : report.tables)
    result["groups"].push_back(table_json(table, report.systems));
  return result.dump(1) + '\n';
}

std::string contrastive_rows(const ContrastiveSet& set,
                             const std::vector<ContrastiveSystem>& systems) {
  std::string text;
  for (size_t pair = 0; pair < set.pairs.size(); ++pair) {
    for (const auto& system : systems) {
      const PairScores& scores = system.scores[pair];
      text += fmt::format("{}{}\t{}\t{}",
                          &system == &systems.front() ? "" : "\t",
                          scores.reference,
                          scores.contrastive,
                          verdict(scores));
    }
    text += '\n';
  }
  return text;
}

std::string contrastive_jsonl(const ContrastiveSet& set,
                              const std::vector<ContrastiveSystem>& systems) {
  std::string text;
  for (size_t place = 0; place < set.pairs.size(); ++place) {
    const ContrastivePair& pair = set.pairs[place];
    Json object = {{"line", pair.line}, {"systems", Json::array()}};
    for (const auto& system : systems) {
      const PairScores& scores = system.scores[place];
      object["systems"].push_back({{"system", system.name},
                                   {"reference_log_probability", scores.reference},
                                   {"contrastive_log_probability", scores.contrastive},
                                   {"verdict", verdict(scores)}});
    }
    for (size_t column = 0; column < set.group_columns.size(); ++column)
      object["groups"][set.group_columns[column]] = pair.groups[column];
    if (!set.distance_column.empty())
      object["distance"] = optional(pair.distance);
    text += object.dump() + '\n';
  }
  return text;
}

}  // namespace phraseq::score
