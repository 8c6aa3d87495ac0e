#pragma once

namespace phraseq::nn {

/// What is applied to each element after a linear map; gelu is the erf form.
enum class Activation { kNone, kRelu, kGelu, kSwish, kSigmoid };

}  // namespace phraseq::nn
