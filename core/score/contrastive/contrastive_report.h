#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/contrastive/contrastive_set.h"

namespace phraseq::score {

/// A model's scores of a pair: natural logarithms of the probabilities of the two translations,
/// including their ends, not divided by their lengths.
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

/// The number of pairs in which a system gives the reference the higher probability. A tie does not
/// count as right.
struct PHRASEQ_API Accuracy {
  size_t pairs = 0;
  size_t right = 0;
  size_t ties = 0;
  std::optional<double> p_value;  ///< of the difference from the first system: exact McNemar test

  double value() const { return static_cast<double>(right) / static_cast<double>(pairs); }
  /// Ends of Wilson's 95 % interval (1927).
  double low() const;
  double high() const;
};

/// The pairs of one group, or of the distances from `from` up to but not including `to`.
struct AccuracyRow {
  std::string name;
  std::optional<int64_t> from, to;
  size_t pairs = 0;
  std::vector<Accuracy> systems;  ///< empty if there are no pairs
};

/// The accuracies in each group of one column, or in each range of distances.
struct AccuracyTable {
  std::string by;  ///< the column
  bool by_distance = false;
  std::vector<AccuracyRow> rows;
};

/// The accuracies of all systems on one set.
struct ContrastiveReport {
  std::string path;
  std::vector<std::string> systems;
  AccuracyRow all;
  std::vector<AccuracyTable> tables;  ///< one per group column, then the distances
};

/// Evaluates the systems. `edges` 2, 3 make the groups of distances below 2, 2, and above 2. Every
/// system must have one score for each pair of the set.
PHRASEQ_API ContrastiveReport evaluate_contrastive(const ContrastiveSet& set,
                                                   const std::vector<ContrastiveSystem>& systems,
                                                   const std::vector<int64_t>& edges);

/// The two-sided exact test of McNemar (1947): the probability of a split at least as uneven as
/// `first` and `second`, the numbers of pairs that only one of the systems got right, if each of
/// them were equally likely to be the only one that is right.
PHRASEQ_API double mcnemar_test(size_t first, size_t second);

}  // namespace phraseq::score
