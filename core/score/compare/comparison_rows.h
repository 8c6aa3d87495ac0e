#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/score/compare/comparison.h"

namespace phraseq::score {

/// How a system compares to the first one: significantly better or worse by the metric (for which
/// lower may be better), or neither.
enum class Verdict { kNone, kBetter, kWorse };

/// A score and, below it, how it compares to the first system.
struct ComparisonCell {
  std::string text;        ///< "26.1 ± 0.7"
  std::string below = {};  ///< "−0.5 (p = 0.0120)*"; empty for the first system and in headings
  Verdict verdict = Verdict::kNone;
};
/// A table of a comparison as both the terminal and the HTML page show it, the heading first.
using ComparisonRows = std::vector<std::vector<ComparisonCell>>;

/// The systems by all metrics, or by the buckets of `table`, which belongs to the comparison;
/// `width`: digits after the point.
ComparisonRows metric_rows(const Comparison& comparison, int width);
ComparisonRows bucket_rows(const Comparison& comparison, const BucketTable& table, int width);

/// The tables of buckets that the comparison has.
std::vector<const BucketTable*> bucket_tables(const Comparison& comparison);

/// The title of a table of buckets. Example: "BLEU by source length in words".
std::string title_of(const BucketTable& table);

/// Signatures with their names: a metric's name, "by length" or "F1".
using NamedSignatures = std::vector<std::pair<std::string, std::string>>;
NamedSignatures all_signatures(const Comparison& comparison);

/// The range of a bucket: "0 to 14", "45 or more".
std::string range_of(const BucketScores& bucket);

/// Whether the difference from the first system is unlikely to be due to chance (p < 0.05).
bool is_significant(const ComparedScore& score);

/// Explains the figures in the cells, one line for each.
std::vector<std::string> explain_cells(const Comparison& comparison);

}  // namespace phraseq::score
