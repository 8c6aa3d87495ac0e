#include "core/nn/functional/device/relu_dropout.h"

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/device/dropout_kernel.h"

namespace phraseq::nn::gpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

class ReluDropout : public torch::autograd::Function<ReluDropout> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, double p, uint64_t key) {
    const at::Tensor y = at::empty(x.sizes(), x.options());
    relu_dropout(x, y, p, key);
    ctx->saved_data["p"] = key == 0 ? 0.0 : p;
    ctx->save_for_backward({y});
    return y;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const at::Tensor y = ctx->get_saved_variables()[0];
    const double p = ctx->saved_data["p"].toDouble();
    return {relu_dropout_backward(outputs[0].contiguous(), y, p), {}, {}};
  }
};

}  // namespace

at::Tensor relu_with_dropout(const at::Tensor& x, double p, uint64_t key) {
  return ReluDropout::apply(x.contiguous(), p, key);
}

}  // namespace phraseq::nn::gpu
