#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/contrastive/contrastive_set.h"

namespace phraseq::score {

/// What a model says of a pair: natural logarithms of the probabilities of the two translations,
/// their end included, not divided by their lengths.
struct PairScores {
  double reference = 0;
  double contrastive = 0;

  bool right() const { return reference > contrastive; }
  bool tie() const { return reference == contrastive; }
};

/// One model, or one ensemble, and its scores of all pairs of a set.
struct ContrastiveSystem {
  std::string name;
  std::vector<PairScores> scores;
};

/// In how many pairs a system gives the reference the higher probability. A tie is not right.
struct PHRASEQ_API Accuracy {
  size_t pairs = 0;
  size_t right = 0;
  size_t ties = 0;
  std::optional<double> p_value;  ///< of the difference to the first system: exact McNemar test

  double value() const { return static_cast<double>(right) / static_cast<double>(pairs); }
  /// Ends of Wilson's 95 % interval (1927).
  double low() const;
  double high() const;
};

/// The pairs of one group; the ends of a range of distances, `to` not included.
struct AccuracyRow {
  std::string name;
  std::optional<int64_t> from, to;
  size_t pairs = 0;
  std::vector<Accuracy> systems;  ///< empty when there is no pair
};

struct AccuracyTable {
  std::string by;  ///< the column
  bool by_distance = false;
  std::vector<AccuracyRow> rows;
};

struct ContrastiveReport {
  std::string path;
  std::vector<std::string> systems;
  AccuracyRow all;
  std::vector<AccuracyTable> tables;  ///< one per group column, then the distances
};

/// Counts. `edges` 2, 3 make the distances below 2, 2, and above 2; every system has as many scores
/// as the set has pairs.
PHRASEQ_API ContrastiveReport evaluate_contrastive(const ContrastiveSet& set,
                                                   const std::vector<ContrastiveSystem>& systems,
                                                   const std::vector<int64_t>& edges);

/// The two-sided exact test of McNemar (1947): the chance of a split at least as uneven when
/// `first` and `second` pairs were right for one system only and both were as likely.
PHRASEQ_API double mcnemar_test(size_t first, size_t second);

}  // namespace phraseq::score
