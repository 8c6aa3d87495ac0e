#pragma once

#include <string>

#include <ATen/core/Tensor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phraseq::nn {

/// "[12, 64]", or "undefined": a tensor's shape in a message.
inline std::string shape_text(const at::Tensor& x) {
  return x.defined() ? fmt::format("[{}]", fmt::join(x.sizes(), ", ")) : "undefined";
}

}  // namespace phraseq::nn
