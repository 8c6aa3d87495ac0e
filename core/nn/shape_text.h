#pragma once

#include <string>

#include <ATen/core/Tensor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phraseq::nn {

/// A tensor's shape for messages: "[12, 64]", or "undefined".
inline std::string shape_text(const at::Tensor& x) {
  return x.defined() ? fmt::format("[{}]", fmt::join(x.sizes(), ", ")) : "undefined";
}

}  // namespace phraseq::nn
