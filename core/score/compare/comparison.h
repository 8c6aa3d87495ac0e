#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/compare/compared_scores.h"
#include "core/score/compare/system_outputs.h"
#include "core/score/report/score_input.h"

namespace phraseq::score {

/// The unit of the length of a line.
enum class LengthUnit { kWords, kCharacters };

/// The division of sentences into buckets by the lengths of the lines of `text`, in
/// whitespace-separated words or in code points. Edges 15, 30 make the buckets [0, 15), [15, 30)
/// and [30, ∞).
struct Buckets {
  std::string title;  ///< what `text` is: "source", "reference"
  const Lines* text = nullptr;
  LengthUnit unit = LengthUnit::kWords;
  std::vector<int64_t> edges;
};

/// One sentence, scored alone, as the first system and another one translate it.
struct ComparedSentence {
  size_t line = 0;  ///< from 1
  double baseline = 0, score = 0;
  double gain = 0;  ///< of the other system; positive if it is better, even for TER
  std::string source;
  std::vector<std::string> references;
  std::string baseline_text, text;
};

/// The sentences in which one system differs most from the first.
struct SentenceDifferences {
  std::string system;
  size_t better = 0, equal = 0, worse = 0;    ///< numbers of sentences
  std::vector<ComparedSentence> most_better;  ///< largest gain first
  std::vector<ComparedSentence> most_worse;   ///< largest loss first
};

/// The scores of all systems; the others are compared with the first one.
struct Comparison {
  std::vector<std::string> systems;
  std::vector<std::string> metrics;
  std::vector<std::string> signatures;             ///< one for each metric
  std::vector<std::string> lower_is_better;        ///< metrics for which a lower score is better
  std::vector<std::vector<ComparedScore>> scores;  ///< [system][metric]
  BucketTable lengths;
  std::optional<BucketTable> frequencies = {};  ///< set if there is a training text
  Sampling sampling;
  /// One for each system after the first, or none.
  std::vector<SentenceDifferences> sentences = {};
};

/// Scores all systems by all metrics and, by `bucket_metric`, in each length bucket, with
/// `sampling.samples` bootstrap resamples. `input` has the outputs of all systems in order. Throws
/// DataError if the numbers of lines of the bucket text and the systems differ.
PHRASEQ_API Comparison compare(const Metrics& metrics,
                               const Metric& bucket_metric,
                               const ScoreInput& input,
                               const std::vector<SystemOutputs>& systems,
                               const Buckets& buckets,
                               const Sampling& sampling);

}  // namespace phraseq::score
