#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/search/lexical_state.h"
#include "core/search/search_state.h"

namespace phraseq {

/// Whether the phrases of --constraints must occur in the given order.
enum class ConstraintOrder { kNone, kOrdered, kUnordered };

inline constexpr EnumName<ConstraintOrder> kConstraintOrderNames[] = {
    {"", ConstraintOrder::kNone},
    {"ordered", ConstraintOrder::kOrdered},
    {"unordered", ConstraintOrder::kUnordered}};

/// Makes the state before the first token.
PHRASEQ_API std::unique_ptr<LexicalState> lexical_state(const LexicalConstraints& constraints,
                                                        ConstraintOrder order);

/// Makes the state of each row: which of its sentence's constraints its hypothesis contains.
PHRASEQ_API std::vector<std::unique_ptr<LexicalState>> lexical_states(const SearchState& state,
                                                                      ConstraintOrder order);

/// Forbids </s> in rows whose constraints are not finished.
PHRASEQ_API void forbid_unfinished_ends(const std::vector<std::unique_ptr<LexicalState>>& states,
                                        std::vector<StepConstraint>& constraints);

/// A step of hypotheses that have lexical constraints. Everything that it refers to must outlive
/// it.
struct ConstrainedStep {
  const SearchState& state;
  const StepOutput& output;
  const std::vector<StepConstraint>& constraints;            ///< by row
  const std::vector<std::unique_ptr<LexicalState>>& states;  ///< by row, of lexical_states
};

/// Chooses the candidates of one sentence by dynamic beam allocation (Post & Vilar 2018, Hu et al.
/// 2019), step by step like fairseq's LexicallyConstrainedBeamSearch.
///
/// In addition to the 2 · beam best of `ranked_rows` (those of each row, best first), every row's
/// best and every token that begins or continues a constraint are candidates. A candidate's bank is
/// the number of constraint tokens that have been generated with it. The banks, fullest first, take
/// turns in the result: the best of each, then the second of each … 2 · beam in all.
PHRASEQ_API std::vector<Candidate> allocate_beam(const ConstrainedStep& step,
                                                 const CandidateLists& ranked_rows,
                                                 int64_t beam);

}  // namespace phraseq
