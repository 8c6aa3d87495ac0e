#include "core/nn/parameters/shared_gradient.h"

#include <utility>

#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// A node whose backward pass runs after those of all functions that read its result, and returns
/// the sum of their gradients.
class SharedRead : public torch::autograd::Function<SharedRead> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& x,
                            const c10::intrusive_ptr<SharedGradient>& gradient) {
    ctx->saved_data["gradient"] = SharedGradient::saved(gradient);
    ctx->set_materialize_grads(false);
    return x;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const at::Tensor sum = SharedGradient::restored(ctx->saved_data["gradient"])->take();
    const at::Tensor& others = outputs[0];  // from functions that do not share the sum
    if (!sum.defined() || !others.defined())
      return {sum.defined() ? sum : others, at::Tensor()};
    return {sum + others, at::Tensor()};
  }
};

}  // namespace

at::Tensor& SharedGradient::sum(const at::Tensor& x) {
  if (!sum_.defined())
    sum_ = at::zeros_like(x);
  return sum_;
}

at::Tensor SharedGradient::take() { return std::exchange(sum_, {}); }

c10::IValue SharedGradient::saved(const c10::intrusive_ptr<SharedGradient>& gradient) {
  return c10::IValue::make_capsule(gradient);
}

c10::intrusive_ptr<SharedGradient> SharedGradient::restored(const c10::IValue& saved) {
  return c10::static_intrusive_pointer_cast<SharedGradient>(saved.toCapsule());
}

SharedInput share_gradient(const at::Tensor& x) {
  SharedInput shared{x, c10::make_intrusive<SharedGradient>()};
  shared.value = SharedRead::apply(x, shared.gradient);
  return shared;
}

}  // namespace phraseq::nn
