#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/score/compare/system_outputs.h"
#include "core/score/report/evaluation.h"

namespace phraseq::score {

/// A score, its interval, and the p-values of its difference from the first system (none for the
/// first system itself, and for a single sentence).
struct ComparedScore {
  double score = 0;  ///< the mean of the outputs' scores
  Interval interval;
  std::optional<double> p_value;        ///< sacrebleu's paired bootstrap; 1 for equal scores
  std::optional<double> koehn_p_value;  ///< Koehn (2004)
  std::vector<double> outputs = {};     ///< the score of each of the system's outputs
};

/// Scores of a part of the test set: sentences with lengths, or words with frequencies, of at least
/// `from` and below `to`.
struct BucketScores {
  int64_t from = 0;
  std::optional<int64_t> to;
  size_t size = 0;                     ///< sentences or words
  std::vector<ComparedScore> systems;  ///< empty if the bucket is empty
};

/// The scores of all buckets by one metric.
struct BucketTable {
  std::string metric;     ///< "BLEU"
  std::string signature;  ///< of the metric
  std::string by;         ///< "source length in words"
  std::string unit;       ///< what a bucket's size counts: "sentences"
  std::vector<BucketScores> rows;
};

/// The statistics of all outputs, in order.
std::vector<Statistics> collect_outputs(const Metric& metric, const ScoreInput& input, int threads);

/// The systems' scores from the statistics of their outputs, the first system being the baseline.
/// The differences of a single sentence are not tested.
std::vector<ComparedScore> compare_statistics(const Metric& metric,
                                              const std::vector<Statistics>& outputs,
                                              const std::vector<SystemOutputs>& systems,
                                              const Sampling& sampling);

/// Removes the p-values of scores that a single sentence determines: all its resamples are equal,
/// so a test means nothing.
void drop_tests(std::vector<ComparedScore>& scores);

/// One empty bucket for each range between two edges, below the first and from the last on: edges
/// 15, 30 make [0, 15), [15, 30) and [30, ∞).
std::vector<BucketScores> make_buckets(const std::vector<int64_t>& edges);

/// The index of the bucket that a value belongs to.
size_t bucket_of(int64_t value, const std::vector<int64_t>& edges);

/// The signature of a metric in a comparison; `references`: the number of references that it uses.
std::string comparison_signature(const Metric& metric, size_t references, const Sampling& sampling);

}  // namespace phraseq::score
