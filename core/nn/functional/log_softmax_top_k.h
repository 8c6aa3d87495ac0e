#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// A log-probability that a search changes after normalization: -infinity forbids the column, a
/// finite number is added (the penalty on <unk>).
struct ScoreEdit {
  int64_t column = 0;
  double change = 0;
};

/// One column of a row of scores, as a ranking returns it.
struct RankedColumn {
  double log_probability = 0;
  int64_t column = 0;
};

/// Whether `a` comes before `b`: the greater log-probability, then the lower column.
inline bool ranks_before(const RankedColumn& a, const RankedColumn& b) {
  return a.log_probability > b.log_probability ||
         (a.log_probability == b.log_probability && a.column < b.column);
}

/// The order of columns, or of a search's candidates, for algorithms with a comparison.
inline constexpr auto best_first = [](const auto& a, const auto& b) { return ranks_before(a, b); };

/// Keeps the `count` best, or all if there are fewer, best first.
template <class Ranked>
void keep_best(std::vector<Ranked>& all, int64_t count) {
  const size_t kept = std::min(all.size(), static_cast<size_t>(count));
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(all.begin(), middle, all.end(), best_first);
  all.resize(kept);
}

/// ln Σ e^score of a row. NaN if a score is NaN or +infinity, or if none is above -infinity.
PHRASEQ_API double log_sum_exp(std::span<const float> scores);
PHRASEQ_API double log_sum_exp(std::span<const double> scores);

/// The `k` best columns by log softmax(scores) + edits, best first, without storing the
/// log-softmax: one pass computes the maxima of blocks, another the sum, and then only the blocks
/// that can contain one of the best columns are searched.
///
/// Columns at -infinity are never returned, so there may be fewer than `k`. `edits` name each
/// column at most once. `normalized`: scores are log-probabilities already. Returns the row's
/// normalizer as by log_sum_exp (0 if normalized); if it is NaN, `best` is empty.
PHRASEQ_API double log_softmax_top_k(std::span<const float> scores,
                                     int64_t k,
                                     std::span<const ScoreEdit> edits,
                                     bool normalized,
                                     std::vector<RankedColumn>& best);
PHRASEQ_API double log_softmax_top_k(std::span<const double> scores,
                                     int64_t k,
                                     std::span<const ScoreEdit> edits,
                                     bool normalized,
                                     std::vector<RankedColumn>& best);

}  // namespace phraseq
