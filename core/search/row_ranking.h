#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/nn/deferring_session.h"
#include "core/search/constraints.h"

namespace phraseq {

/// Returns the k best next columns (tokens and slots) of every row, best first.
///
/// A row without a decision gets no columns. Every other row gets at least one, and none at
/// -infinity or with a forbidden score: if the constraints forbid everything that the model allows,
/// it gets </s> with the model's probability. Throws DivergenceError if the scores are not finite,
/// or if the only allowed token is impossible for the model.
///
/// With `needs_probabilities` = false, only the order of a row's columns matters: their
/// log-probabilities may all be off by the same constant.
PHRASEQ_API std::vector<std::vector<RankedColumn>> rank_rows(
    const DecodingStep& step,
    const std::vector<StepConstraint>& constraints,
    int64_t k,
    bool needs_probabilities = true);

/// Returns the log-probabilities of columns of a row with a decision, as `rank_rows` computes them;
/// -infinity if they are forbidden. Reads the whole row once.
PHRASEQ_API std::vector<double> log_probabilities_of(const StepOutput& output,
                                                     int64_t row,
                                                     std::span<const int64_t> columns,
                                                     const StepConstraint& constraint);

}  // namespace phraseq
