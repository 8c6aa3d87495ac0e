#include "core/nn/functional/activation.h"

#include <fmt/format.h>

#include "core/base/close_matches.h"
#include "core/base/error.h"

namespace phraseq::nn {

Activation activation_from(std::string_view name) {
  if (name == "none")
    return Activation::kNone;
  if (name == "relu")
    return Activation::kRelu;
  if (name == "gelu")
    return Activation::kGelu;
  if (name == "swish")
    return Activation::kSwish;
  if (name == "sigmoid")
    return Activation::kSigmoid;
  const std::vector<std::string> known = {"none", "relu", "gelu", "swish", "sigmoid"};
  throw UsageError(
      fmt::format("unknown activation '{}'; expected none, relu, gelu, swish or sigmoid", name),
      did_you_mean(name, known));
}

}  // namespace phraseq::nn
