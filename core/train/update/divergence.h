#pragma once

namespace phraseq {

/// The remedy for a training run whose losses or gradients are no longer finite.
inline constexpr const char* kDivergenceRemedy =
    "Reduce --lr, clip with --clip-norm, or use a longer warm-up";

}  // namespace phraseq
