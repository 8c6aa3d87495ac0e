#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

namespace phraseq::nn {

/// An undefined tensor cannot be an input of an autograd function; an empty optional can.
inline std::optional<at::Tensor> to_optional(const at::Tensor& x) {
  return x.defined() ? std::optional<at::Tensor>(x) : std::nullopt;
}

/// The inverse of to_optional.
inline at::Tensor from_optional(const std::optional<at::Tensor>& x) {
  return x.value_or(at::Tensor());
}

}  // namespace phraseq::nn
