#include "core/score/compare/comparison_rows.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phraseq::score {
namespace {

constexpr double kSignificant = 0.05;

Verdict verdict_on(const ComparedScore& score,
                   const ComparedScore& baseline,
                   bool higher_is_better) {
  if (!is_significant(score) || score.score == baseline.score)
    return Verdict::kNone;
  return (score.score > baseline.score) == higher_is_better ? Verdict::kBetter : Verdict::kWorse;
}

ComparisonCell score_cell(const ComparedScore& score,
                          const ComparedScore& baseline,
                          bool higher_is_better,
                          int width) {
  ComparisonCell cell;
  cell.text =
      fmt::format("{:.{}f} ± {:.{}f}", score.score, width, score.interval.half_width, width);
  if (score.outputs.size() > 1) {
    cell.text += fmt::format(" (s = {:.{}f})", standard_deviation(score.outputs), width + 1);
  }
  if (!score.p_value)
    return cell;
  cell.verdict = verdict_on(score, baseline, higher_is_better);
  cell.below = fmt::format("{:+.{}f} (p = {:.4f}, {:.4f}){}",
                           score.score - baseline.score,
                           width,
                           *score.p_value,
                           *score.koehn_p_value,
                           is_significant(score) ? "*" : "");
  return cell;
}

bool has_several_outputs(const Comparison& comparison) {
  return std::any_of(comparison.scores.begin(), comparison.scores.end(), [](const auto& scores) {
    return !scores.empty() && scores.front().outputs.size() > 1;
  });
}

bool higher_is_better(const Comparison& comparison, const std::string& metric) {
  const auto& lower = comparison.lower_is_better;
  return std::find(lower.begin(), lower.end(), metric) == lower.end();
}

}  // namespace

std::string range_of(const BucketScores& bucket) {
  if (!bucket.to)
    return fmt::format("{} or more", bucket.from);
  const int64_t last = *bucket.to - 1;
  return last == bucket.from ? std::to_string(last) : fmt::format("{} to {}", bucket.from, last);
}

bool is_significant(const ComparedScore& score) {
  return score.p_value && *score.p_value < kSignificant;
}

ComparisonRows metric_rows(const Comparison& comparison, int width) {
  ComparisonRows rows(1);
  rows[0].push_back({"System"});
  for (const auto& metric : comparison.metrics) rows[0].push_back({metric});
  for (size_t system = 0; system < comparison.systems.size(); ++system) {
    auto& row = rows.emplace_back();
    row.push_back({comparison.systems[system]});
    for (size_t metric = 0; metric < comparison.metrics.size(); ++metric) {
      row.push_back(score_cell(comparison.scores[system][metric],
                               comparison.scores[0][metric],
                               higher_is_better(comparison, comparison.metrics[metric]),
                               width));
    }
  }
  return rows;
}

ComparisonRows bucket_rows(const Comparison& comparison, const BucketTable& table, int width) {
  ComparisonRows rows(1);
  rows[0].push_back({table.by});
  rows[0].push_back({table.unit});
  for (const auto& system : comparison.systems) rows[0].push_back({system});
  for (const auto& bucket : table.rows) {
    auto& row = rows.emplace_back();
    row.push_back({range_of(bucket)});
    row.push_back({std::to_string(bucket.size)});
    for (size_t system = 0; system < comparison.systems.size(); ++system) {
      row.push_back(bucket.systems.empty() ? ComparisonCell{"–"}
                                           : score_cell(bucket.systems[system],
                                                        bucket.systems[0],
                                                        higher_is_better(comparison, table.metric),
                                                        width));
    }
  }
  return rows;
}

std::vector<const BucketTable*> bucket_tables(const Comparison& comparison) {
  std::vector<const BucketTable*> tables = {&comparison.lengths};
  if (comparison.frequencies)
    tables.push_back(&*comparison.frequencies);
  return tables;
}

NamedSignatures all_signatures(const Comparison& comparison) {
  NamedSignatures signatures;
  for (size_t metric = 0; metric < comparison.metrics.size(); ++metric)
    signatures.emplace_back(comparison.metrics[metric], comparison.signatures[metric]);
  signatures.emplace_back("by length", comparison.lengths.signature);
  if (comparison.frequencies)
    signatures.emplace_back(comparison.frequencies->metric, comparison.frequencies->signature);
  return signatures;
}

std::string title_of(const BucketTable& table) {
  return fmt::format("{} by {}", table.metric, table.by);
}

std::vector<std::string> explain_cells(const Comparison& comparison) {
  std::vector<std::string> lines = {
      fmt::format("Score ± half the width of its 95 % interval ({} bootstrap resamples, seed {}).",
                  comparison.sampling.samples,
                  comparison.sampling.seed.label),
      fmt::format("Below: the difference from {}, and two p-values of the paired bootstrap.",
                  comparison.systems.front()),
      fmt::format("First p-value: as in sacrebleu, the probability of at least this difference "
                  "between systems of equal quality; * marks it below {}.",
                  kSignificant),
      "Second p-value: Koehn (2004), fraction of the resamples in which the better system is not "
      "better.",
  };
  if (has_several_outputs(comparison)) {
    lines.emplace_back(
        "Of a system with several outputs: the mean score; s is the standard deviation over its "
        "outputs, which are resampled together with the sentences.");
  }
  if (!comparison.lower_is_better.empty()) {
    lines.push_back(
        fmt::format("Lower is better: {}.", fmt::join(comparison.lower_is_better, ", ")));
  }
  return lines;
}

}  // namespace phraseq::score
