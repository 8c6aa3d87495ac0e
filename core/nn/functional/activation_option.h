#pragma once

#include "core/nn/kernels/activation.h"
#include "core/options/option_table.h"

namespace phraseq::nn {

/// Names the activations of a feed-forward layer for options.
inline constexpr EnumName<Activation> kFeedForwardActivationNames[] = {
    {"relu", Activation::kRelu}, {"gelu", Activation::kGelu}, {"swish", Activation::kSwish}};

}  // namespace phraseq::nn
