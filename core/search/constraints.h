#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/nn/architecture.h"
#include "core/nn/functional/log_softmax_top_k.h"

namespace phraseq {

/// Decoding constraints that do not depend on the model.
struct ConstraintSettings {
  int64_t min_length = 1;            ///< </s> is forbidden before this many tokens
  double unknown_penalty = 0;        ///< subtracted from the log-probability of <unk>
  int64_t no_repeat_ngram_size = 0;  ///< 0 = n-grams may repeat
  bool match_source_len = false;     ///< exactly the maximum length, and </s> costs nothing
};

/// The log-probability of an impossible token, ln 0; as an edit of a score, it forbids a column.
inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// A score, normalized or not, up to which a model's output counts as impossible. Models assign
/// kForbiddenScore or less, which is finite for training, to the outputs that they exclude.
inline constexpr double kHighestForbiddenScore = 0.5 * DecoderOutput::kForbiddenScore;

inline bool is_forbidden_score(double score) { return score <= kHighestForbiddenScore; }

/// Values of StepConstraint::only that are not tokens.
inline constexpr int64_t kAnyToken = -1;
inline constexpr int64_t kNoDecision = -2;  ///< no choice: a token chosen earlier is fed

/// The constraint on one step of a hypothesis: either only one token is allowed, or all are, with
/// changes to the scores of some.
struct StepConstraint {
  int64_t only = kAnyToken;      ///< the one allowed token
  std::vector<ScoreEdit> edits;  ///< added to log-probabilities
  bool costs_nothing = false;    ///< `only` has log-probability 0, regardless of the model

  bool has_decision() const { return only != kNoDecision; }
  bool forces_token() const { return only >= 0; }

  /// Forbids a column, replacing any other edit of it.
  void forbid(int64_t column) {
    std::erase_if(edits, [column](const ScoreEdit& edit) { return edit.column == column; });
    edits.push_back({column, kImpossible});
  }
  /// Returns what the edits add to the log-probability of a column.
  double change_of(int64_t column) const {
    double change = 0;
    for (const ScoreEdit& edit : edits) change += edit.column == column ? edit.change : 0;
    return change;
  }
  bool forbids(int64_t column) const {
    return std::any_of(edits.begin(), edits.end(), [column](const ScoreEdit& edit) {
      return edit.column == column && edit.change == kImpossible;
    });
  }
};

/// Returns the constraint on a hypothesis of `step` tokens, in fairseq's order: from `max_length`
/// on, only </s> is allowed; within `prefix`, only its next token; elsewhere <pad> is forbidden,
/// and so is </s> before the minimum length. The penalty on <unk> also applies if it is forced.
/// With `match_source_len`, the maximum length is also the minimum: </s> is forbidden before it,
/// even in a prefix, and costs nothing there (fairseq's LengthConstrainedBeamSearch).
PHRASEQ_API StepConstraint step_constraint(const ConstraintSettings& settings,
                                           int64_t step,
                                           int64_t max_length,
                                           std::span<const int64_t> prefix);

/// Forbids the tokens that would complete an n-gram that `tokens` already contains, unless a token
/// is forced.
PHRASEQ_API void forbid_repeats(StepConstraint& constraint,
                                std::span<const int64_t> tokens,
                                int64_t n);

/// Returns the tokens that would complete an n-gram that `tokens` already contains, sorted and
/// distinct; n >= 1.
PHRASEQ_API std::vector<int64_t> repeating_tokens(std::span<const int64_t> tokens, int64_t n);

}  // namespace phraseq
