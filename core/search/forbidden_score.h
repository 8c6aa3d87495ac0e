#pragma once

#include "core/nn/architecture.h"

namespace phraseq {

/// A score, normalized or not, up to which a model's output counts as impossible. Models give
/// kForbiddenScore, or less, to the outputs that they exclude: a finite number, for training.
inline constexpr double kHighestForbiddenScore = 0.5 * DecoderOutput::kForbiddenScore;

inline bool is_forbidden_score(double score) { return score <= kHighestForbiddenScore; }

}  // namespace phraseq
