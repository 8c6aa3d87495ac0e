#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/search/constraints.h"
#include "core/search/search_step.h"

namespace phraseq {

/// What every row may say next, in scores: answers of all rows of one step.
///
/// `constraints[row].only` = -2 marks a row without a decision (its queue is fed): it gets no
/// columns. Every other row gets at least one, and none at -infinity: where the constraints forbid
/// all that the model allows, </s> with the model's probability. Throws DivergenceError when the
/// scores are not finite, or when the one allowed token is impossible for the model.
///
/// `needs_probabilities` = false: the order of a row's columns is all that is asked for, so that
/// their log-probabilities may lack a constant of the row.
inline constexpr int64_t kNoDecision = -2;
PHRASEQ_API std::vector<std::vector<RankedColumn>> rank_rows(
    const SearchStep& output,
    const std::vector<StepConstraint>& constraints,
    int64_t k,
    bool needs_probabilities = true);

/// The log-probability of one column of a row with a decision, as `rank_rows` has it; -infinity
/// where it is forbidden. Goes through the whole row.
PHRASEQ_API double log_probability_of(const StepOutput& output,
                                      int64_t row,
                                      int64_t column,
                                      const StepConstraint& constraint);

/// The same for several columns, with one pass through the row.
PHRASEQ_API std::vector<double> log_probabilities_of(const StepOutput& output,
                                                     int64_t row,
                                                     std::span<const int64_t> columns,
                                                     const StepConstraint& constraint);

}  // namespace phraseq
