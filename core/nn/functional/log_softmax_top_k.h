#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/nn/ranked_columns.h"

namespace phraseq {

/// A log-probability that a search changes after normalization: -infinity forbids the column, a
/// finite number is added (the penalty on <unk>).
struct ScoreEdit {
  int64_t column = 0;
  double change = 0;
};

/// ln Σ e^score of a row. NaN when a score is NaN or +infinity, or none is above -infinity.
PHRASEQ_API double log_sum_exp(std::span<const float> scores);
PHRASEQ_API double log_sum_exp(std::span<const double> scores);

/// The `k` best columns by log softmax(scores) + edits, best first, without writing the log-softmax
/// down: one pass for the maxima of blocks, one for the sum, then only blocks that can hold a
/// winner are looked at.
///
/// Columns at -infinity never come out, so there may be fewer than `k`. `edits` name each column at
/// most once. `normalized`: scores are log-probabilities already. Returns the row's normalizer, as
/// log_sum_exp gives it (0 when normalized); when it is NaN, `best` is empty.
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
