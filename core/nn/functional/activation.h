#pragma once

#include <string_view>

#include "core/base/api.h"

namespace phraseq::nn {

enum class Activation { kNone, kRelu, kGelu, kSwish, kSigmoid };  ///< gelu is the erf form
PHRASEQ_API Activation activation_from(std::string_view name);  ///< "relu" …; UsageError otherwise

}  // namespace phraseq::nn
