#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/nn/deferred_scores.h"
#include "core/search/constraints.h"

namespace phraseq {

/// The best columns of every row, best first, and each row's normalizer: NaN if its scores are not
/// finite.
struct RowRanking {
  explicit RowRanking(size_t rows) : best(rows), normalizers(rows) {}

  std::vector<std::vector<RankedColumn>> best;
  std::vector<double> normalizers;
};

/// Ranks rows of deferred scores as rank_rows does, without its checks.
RowRanking rank_deferred(const DeferredScores& scores,
                         const std::vector<StepConstraint>& constraints,
                         int64_t k,
                         bool needs_probabilities);

}  // namespace phraseq
