#pragma once

#include "core/options/option_table.h"

namespace phraseq::nn {

enum class Activation { kNone, kRelu, kGelu, kSwish, kSigmoid };  ///< gelu is the erf form

/// The activations of a feed-forward layer, as options name them.
inline constexpr EnumName<Activation> kFeedForwardActivationNames[] = {
    {"relu", Activation::kRelu}, {"gelu", Activation::kGelu}, {"swish", Activation::kSwish}};

}  // namespace phraseq::nn
