#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/intrusive_ptr.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// The gradient of a tensor that many autograd functions read, such as the encoded source in all
/// steps of a recurrent decoder. Autograd would add one gradient of the tensor's whole size per
/// function; these functions add to one sum in place.
class PHRASEQ_API SharedGradient final : public torch::CustomClassHolder {
 public:
  /// The sum so far, for a function that adds to it; zeros of the shape of `x` at first.
  at::Tensor& sum(const at::Tensor& x);
  /// Ends the sum, so that another backward pass begins anew; undefined if nothing was added.
  at::Tensor take();

  /// What such a function stores in `saved_data`, and how it gets it back.
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

/// x for functions that share its gradient. They return an undefined gradient of it to autograd.
PHRASEQ_API SharedInput share_gradient(const at::Tensor& x);

}  // namespace phraseq::nn
