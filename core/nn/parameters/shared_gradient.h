#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/intrusive_ptr.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// The gradient of a tensor that many autograd functions read, such as the encoded source in all
/// steps of a recurrent decoder. Autograd would add a gradient of the tensor's full size for each
/// function; instead, these functions add to one sum in place.
class PHRASEQ_API SharedGradient final : public torch::CustomClassHolder {
 public:
  /// The sum so far, for a function that adds to it; initially zeros in the shape of `x`.
  at::Tensor& sum(const at::Tensor& x);
  /// Ends the sum, so that the next backward pass starts a new one; undefined if nothing was added.
  at::Tensor take();

  /// Converts the gradient to a value for `saved_data`, and (below) back.
  static c10::IValue saved(const c10::intrusive_ptr<SharedGradient>& gradient);
  static c10::intrusive_ptr<SharedGradient> restored(const c10::IValue& saved);

 private:
  at::Tensor sum_;
};

/// A tensor that many functions read, and the gradient that they share; without a gradient, each
/// function makes its own.
struct SharedInput {
  at::Tensor value;
  c10::intrusive_ptr<SharedGradient> gradient = {};
};

/// Returns x for functions that share its gradient, which must return an undefined gradient of x to
/// autograd.
PHRASEQ_API SharedInput share_gradient(const at::Tensor& x);

}  // namespace phraseq::nn
