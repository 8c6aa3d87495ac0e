#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/nn/functional/log_softmax_top_k.h"

namespace phraseq {

/// What a hypothesis may say next, apart from what the model thinks of it.
struct ConstraintSettings {
  int64_t min_length = 1;            ///< </s> is forbidden before this many tokens
  double unknown_penalty = 0;        ///< taken off the log-probability of <unk>
  int64_t no_repeat_ngram_size = 0;  ///< 0 = n-grams may repeat
  bool match_source_len = false;     ///< exactly the maximum length, and </s> costs nothing
};

/// What a hypothesis may say in one step: anything but the edits, or one token alone.
struct StepConstraint {
  int64_t only = -1;             ///< the one allowed token, -1 = all
  std::vector<ScoreEdit> edits;  ///< on the allowed ones
  bool costs_nothing = false;    ///< `only` has log-probability 0, whatever the model gives it
};

/// The constraint on a hypothesis of `step` tokens, in fairseq's order: from `max_length` on only
/// </s>; else the next of `prefix`; else <pad> never, </s> not before the minimum, the penalty on
/// <unk>, also on a forced one. With `match_source_len` the maximum length is the minimum, too:
/// </s> is forbidden before it, also in a prefix, and costs nothing there (fairseq's
/// LengthConstrainedBeamSearch).
PHRASEQ_API StepConstraint step_constraint(const ConstraintSettings& settings,
                                           int64_t step,
                                           int64_t max_length,
                                           std::span<const int64_t> prefix);

/// Forbids what would complete an n-gram that `tokens` holds already, unless one token alone is
/// allowed.
PHRASEQ_API void forbid_repeats(StepConstraint& constraint,
                                std::span<const int64_t> tokens,
                                int64_t n);

/// The tokens that would complete an n-gram that `tokens` holds already; each once, n >= 1.
PHRASEQ_API std::vector<int64_t> repeating_tokens(std::span<const int64_t> tokens, int64_t n);

}  // namespace phraseq
