#include "core/conformance/metric_suite.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/conformance/fixtures/threads_agree.h"
#include "core/score/metrics/metric.h"
#include "core/score/report/evaluation.h"

namespace phraseq::conformance {
namespace {

using score::Lines;
using MetricRow = std::vector<double>;

/// Placed after a row, so that writing past its end is detected.
constexpr double kRowGuard = 1234.5;
constexpr size_t kRowGuards = 16;

/// A metric for German, and texts to score with it.
struct MetricSetting {
  explicit MetricSetting(const Selection& selection, bool sentence_level = false)
      : metric(create<Metric>(selection, MetricSetup{"de", sentence_level})) {}

  double score_of(const Lines& hypotheses) const {
    return score::score_corpus(*metric, hypotheses, std::span(&references, 1)).value;
  }

  MetricRow row(std::string_view hypothesis, std::vector<std::string_view> lines) const {
    const size_t announced = metric->statistics();
    MetricRow row(announced + kRowGuards, kRowGuard);
    metric->measure(hypothesis, lines, std::span(row).first(announced));
    for (size_t i = row.size(); i-- > announced;) {
      if (row[i] != kRowGuard) {
        throw DataError(fmt::format(
            "measure() writes {} statistics, but statistics() announces {}", i + 1, announced));
      }
    }
    row.resize(announced);
    return row;
  }

  std::vector<MetricRow> rows(const Lines& hypotheses) const {
    std::vector<MetricRow> rows;
    for (size_t i = 0; i < hypotheses.size(); ++i)
      rows.push_back(row(hypotheses[i], {references[i]}));
    return rows;
  }

  std::unique_ptr<Metric> metric;
  const Lines references = {"Zwei junge Männer sind im Freien .",
                            "Mehrere Männer mit Schutzhelmen bedienen ein Rad .",
                            "Ein kleines Mädchen klettert in ein Spielhaus aus Holz .",
                            "Ein Mann in einem blauen Hemd steht auf einer Leiter .",
                            "Zwei Männer stehen am Herd und bereiten Essen zu .",
                            "Ein Mann lächelt einen ausgestopften Löwen an .",
                            "Die Katze schläft unter dem großen Tisch ."};
};

/// The references with the two halves of every line but the first exchanged.
Lines turned_around(const Lines& lines) {
  Lines turned = lines;
  for (size_t i = 1; i < turned.size(); ++i) {
    const size_t middle = turned[i].find(' ', turned[i].size() / 2);
    turned[i] = turned[i].substr(middle + 1) + " " + turned[i].substr(0, middle);
  }
  return turned;
}

bool is_close_score(double one, double other) {
  return std::abs(one - other) <= 1e-9 * std::max(1.0, std::abs(one));
}

MetricRow sum_rows(const std::vector<MetricRow>& rows) {
  MetricRow total(rows.front().size(), 0.0);
  for (const MetricRow& row : rows)
    std::transform(row.begin(), row.end(), total.begin(), total.begin(), std::plus<>());
  return total;
}

/// What is not finite for ordinary sentences. The other checks would misinterpret it.
Findings finite_scores(const MetricSetting& setting) {
  const auto rows = setting.rows(turned_around(setting.references));
  for (const MetricRow& row : rows) {
    for (const double number : row) {
      if (!std::isfinite(number))
        return {fmt::format("measure() writes {}: finite numbers are expected", number)};
    }
  }
  const double score = setting.metric->score(sum_rows(rows));
  if (std::isfinite(score))
    return {};
  return {fmt::format("score() is {}: a finite number is expected", score)};
}

/// The findings for a metric of corpora or, when there are none, for one of single sentences.
Findings at_both_levels(const Selection& selection, Findings (*check)(const MetricSetting&)) {
  Findings findings = check(MetricSetting(selection));
  if (!findings.empty())
    return findings;
  for (auto& finding : check(MetricSetting(selection, /*sentence_level=*/true)))
    findings.push_back("at sentence level: " + finding);
  return findings;
}

/// Whether the other checks can interpret the scores. What is thrown is reported by each check.
bool has_finite_scores(const Selection& selection) {
  try {
    return at_both_levels(selection, finite_scores).empty();
  } catch (const std::exception&) {
    return true;
  }
}

Findings metric_report(const MetricSetting& setting) {
  Findings findings;
  if (setting.metric->name().empty())
    findings.emplace_back("name() is empty: a report could not say what the number is");
  for (const auto& field : setting.metric->signature()) {
    if (field.name.empty() || field.short_name.empty())
      findings.push_back(
          fmt::format("a field of signature() with the value '{}' has no name or "
                      "no short name",
                      field.value));
  }
  return findings;
}

Findings constant_row_length(const MetricSetting& setting) {
  const size_t length = setting.metric->statistics();
  if (length == 0)
    return {"statistics() is 0: a row needs at least one number"};
  setting.rows(setting.references);
  if (setting.metric->statistics() == length)
    return {};
  return {fmt::format("statistics() is {}, and {} after some sentences were measured",
                      length,
                      setting.metric->statistics())};
}

Findings repeatable_rows(const MetricSetting& setting) {
  const Lines hypotheses = turned_around(setting.references);
  const auto first = setting.rows(hypotheses);
  std::vector<MetricRow> again(hypotheses.size());
  for (size_t i = hypotheses.size(); i-- > 0;)  // from the last to the first
    again[i] = setting.row(hypotheses[i], {setting.references[i]});
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i] != again[i])
      return {fmt::format("sentence {} has other statistics the second time", i + 1)};
  }
  if (setting.metric->score(sum_rows(first)) == setting.metric->score(sum_rows(first)))
    return {};
  return {"the same sums have another score the second time"};
}

Findings undisturbed_threads(const MetricSetting& setting) {
  constexpr int kRounds = 60;
  const Lines hypotheses = turned_around(setting.references);
  const auto row_and_score = [&](size_t i) {
    MetricRow row = setting.row(hypotheses[i], {setting.references[i]});
    row.push_back(setting.metric->score(row));
    return row;
  };
  try {
    if (threads_agree(hypotheses.size(), kRounds, row_and_score))
      return {};
  } catch (const std::exception& failure) {
    return {
        fmt::format("threads that measure different sentences at once fail: {}", failure.what())};
  }
  return {
      "threads that measure different sentences at once get other statistics or scores than one: "
      "measure() and score() may not write to members"};
}

Findings rows_in_any_order(const MetricSetting& setting) {
  auto rows = setting.rows(turned_around(setting.references));
  const double forwards = setting.metric->score(sum_rows(rows));
  std::reverse(rows.begin(), rows.end());
  const double backwards = setting.metric->score(sum_rows(rows));
  const MetricRow halves = sum_rows(
      {sum_rows({rows.begin(), rows.begin() + 3}), sum_rows({rows.begin() + 3, rows.end()})});
  const double in_halves = setting.metric->score(halves);
  if (is_close_score(forwards, backwards) && is_close_score(forwards, in_halves))
    return {};
  return {fmt::format("{} for a text, {} for its lines in reverse, {} from the sums of two halves",
                      forwards,
                      backwards,
                      in_halves)};
}

Findings better_is_better(const MetricSetting& setting) {
  const bool higher = setting.metric->higher_is_better();
  const auto value_of = [&](const Lines& hypotheses) {
    return setting.score_of(hypotheses) * (higher ? 1 : -1);
  };
  const double right = value_of(setting.references);
  const double turned = value_of(turned_around(setting.references));
  const double nothing = value_of(Lines(setting.references.size(), "xyz"));
  if (right >= turned && turned >= nothing && right > nothing)
    return {};
  return {
      fmt::format("the references themselves, the references with shuffled words, and other words "
                  "have the scores {}, {} and {}: the first should be the best and the last the "
                  "worst; is higher_is_better correct?",
                  right * (higher ? 1 : -1),
                  turned * (higher ? 1 : -1),
                  nothing * (higher ? 1 : -1))};
}

Findings empty_hypotheses(const MetricSetting& setting) {
  Findings findings;
  const std::string& line = setting.references.front();
  const MetricRow none(setting.metric->statistics(), 0.0);
  const std::pair<const char*, MetricRow> cases[] = {
      {"an empty hypothesis", setting.row("", {line})},
      {"an empty reference", setting.row(line, {""})},
      {"an empty hypothesis and an empty reference", setting.row("", {""})},
      {"two references, one of them empty", setting.row(line, {"", line})},
      {"a sum of zeros", none}};
  for (const auto& [text, row] : cases) {
    const double value = setting.metric->score(row);
    const bool finite =
        std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); });
    if (!finite || !std::isfinite(value))
      findings.push_back(fmt::format("{} for {}: a finite number is expected", value, text));
    setting.metric->detail(row);
  }
  return findings;
}

Findings resampled_scores(const MetricSetting& setting) {
  const MetricRow sums = sum_rows(setting.rows(turned_around(setting.references)));
  const std::vector<float> single(sums.begin(), sums.end());
  const double exact = setting.metric->score(sums);
  const double resampled = setting.metric->score_single(single);
  if (std::abs(exact - resampled) <= 1e-4 * std::max(1.0, std::abs(exact)))
    return {};
  return {fmt::format("score() is {}, score_single() of the same sums {}", exact, resampled)};
}

}  // namespace

std::vector<Check> metric_suite(const Selection& selection) {
  std::vector<Check> checks;
  const auto add = [&](const char* title, Findings (*check)(const MetricSetting&)) {
    checks.push_back({title, [&selection, check] { return at_both_levels(selection, check); }});
  };
  add("a score has a name, and its signature's fields, too", metric_report);
  add("every row has the same length", constant_row_length);
  add("statistics and scores are finite", finite_scores);
  if (!has_finite_scores(selection))
    return checks;
  add("the same sentence has the same statistics", repeatable_rows);
  add("threads do not disturb each other", undisturbed_threads);
  add("rows add up in any order", rows_in_any_order);
  add("references have the best score, other words the worst", better_is_better);
  add("empty lines have a score", empty_hypotheses);
  add("resamples score as the corpus does", resampled_scores);
  return checks;
}

}  // namespace phraseq::conformance
