#include "core/nn/functional/device/dropout_kernel.h"

#include <optional>

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/optional_tensor.h"

namespace phraseq::nn::gpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

at::Tensor run_dropout_add(const at::Tensor& x,
                           const at::Tensor& residual,
                           double p,
                           uint64_t key) {
  constexpr int64_t kThreads = 256;
  const at::Tensor y = at::empty(x.sizes(), x.options());
  long long elements = x.numel();
  if (elements == 0)
    return y;
  Mask mask = mask_of(p, key);
  Arguments arguments;
  arguments.add(x).add(residual).add(y).add_value(elements);
  arguments.add_value(mask.key).add_value(mask.threshold).add_value(mask.kept);
  launch(x,
         cuda::dropout_kernel(element_of(x.scalar_type())),
         "dropout_add",
         {.blocks = blocks_for(elements, kThreads), .threads = kThreads},
         arguments);
  return y;
}

/// Variables: x, residual (or none).
class DropoutAdd : public torch::autograd::Function<DropoutAdd> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& x,
                            const std::optional<at::Tensor>& residual,
                            double p,
                            uint64_t key) {
    ctx->saved_data["p"] = p;
    ctx->saved_data["key"] = static_cast<int64_t>(key);
    ctx->saved_data["adds"] = residual.has_value();
    return run_dropout_add(x, from_optional(residual), p, key);
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const at::Tensor dy = outputs[0].contiguous();
    const auto key = static_cast<uint64_t>(ctx->saved_data["key"].toInt());
    const at::Tensor dx =
        key == 0 ? dy : run_dropout_add(dy, {}, ctx->saved_data["p"].toDouble(), key);
    return {dx, ctx->saved_data["adds"].toBool() ? dy : at::Tensor(), {}, {}};
  }
};

}  // namespace

at::Tensor dropout_add(const at::Tensor& x, const at::Tensor& residual, double p, uint64_t key) {
  const at::Tensor rest = residual.defined() ? residual.contiguous() : residual;
  return DropoutAdd::apply(x.contiguous(), to_optional(rest), p, key);
}

}  // namespace phraseq::nn::gpu
