#pragma once

namespace phraseq::nn {

/// The function that is applied to each element after a linear map: gelu (Hendrycks & Gimpel 2016)
/// in its exact form, x/2 · (1 + erf(x / √2)); swish (Ramachandran et al. 2017), x · sigmoid(x).
enum class Activation { kNone, kRelu, kGelu, kSwish, kSigmoid };

}  // namespace phraseq::nn
