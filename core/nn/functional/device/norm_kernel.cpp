#include "core/nn/functional/device/norm_kernel.h"

#include <algorithm>
#include <optional>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/optional_tensor.h"
#include "core/nn/parameters/parameter_gradient.h"

namespace phraseq::nn::gpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// NormShape of dropout_add_norm.cu.
struct NormShape {
  long long rows;
  int columns;
  float eps;
  unsigned long long key;
  uint32_t threshold;
  float kept;

  NormShape(const at::Tensor& x, double epsilon, const Mask& mask)
      : rows(x.size(0)),
        columns(static_cast<int>(x.size(1))),
        eps(static_cast<float>(epsilon)),
        key(mask.key),
        threshold(mask.threshold),
        kept(mask.kept) {}
};

/// What the passes read: y's inputs and each row's mean and reciprocal deviation, [rows] fp32.
struct Inputs {
  at::Tensor x, residual, gain, mean, rstd;
  NormShape shape;

  cuda::KernelSource kernel() const {
    return cuda::dropout_add_norm_kernel(element_of(x.scalar_type()));
  }
};

/// A warp for each row.
cuda::LaunchShape warps_for(int64_t rows) {
  constexpr int64_t kRowsOfABlock = 4;
  return {.blocks = blocks_for(rows, kRowsOfABlock), .threads = 32 * kRowsOfABlock};
}

at::Tensor run_forward(Inputs& in, const at::Tensor& bias) {
  const at::Tensor y = at::empty(in.x.sizes(), in.x.options());  // [rows, model]
  Arguments arguments;
  arguments.add(in.x).add(in.residual).add(in.gain).add(bias).add(y).add(in.mean).add(in.rstd);
  arguments.add_value(in.shape);
  if (in.shape.rows > 0)
    launch(in.x, in.kernel(), "dropout_add_norm", warps_for(in.shape.rows), arguments);
  return y;
}

/// Into dx and d_sum [rows, model], which may be one.
void run_backward(Inputs& in, const at::Tensor& dy, const at::Tensor& dx, const at::Tensor& d_sum) {
  Arguments arguments;
  arguments.add(dy).add(in.x).add(in.residual).add(in.gain).add(in.mean).add(in.rstd);
  arguments.add(dx).add(d_sum).add_value(in.shape);
  if (in.shape.rows > 0)
    launch(in.x, in.kernel(), "dropout_add_norm_backward", warps_for(in.shape.rows), arguments);
}

/// Gradients of gain and bias, [2, model].
at::Tensor run_parameter_gradients(Inputs& in, const at::Tensor& dy) {
  constexpr int64_t kThreads = 128, kStrips = 256;
  const int64_t rows = in.shape.rows, columns = in.shape.columns;
  long long strip_rows = std::max<int64_t>((rows + kStrips - 1) / kStrips, 16);
  const uint32_t strips = std::max<uint32_t>(blocks_for(rows, strip_rows), 1);
  const at::Tensor partial =  // [strips, 2, model]
      at::empty({strips, 2, columns}, in.mean.options());
  Arguments arguments;
  arguments.add(dy).add(in.x).add(in.residual).add(in.mean).add(in.rstd).add(partial);
  arguments.add_value(strip_rows).add_value(in.shape);
  launch(in.x,
         in.kernel(),
         "norm_parameter_gradients",
         {.blocks = blocks_for(columns, kThreads), .blocks_y = strips, .threads = kThreads},
         arguments);
  return partial.sum(0);  // [2, model]
}

/// Variables: x, residual (or none), gain, bias.
class DropoutAddNorm : public torch::autograd::Function<DropoutAddNorm> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& x,
                            const std::optional<at::Tensor>& residual,
                            const at::Tensor& gain,
                            const at::Tensor& bias,
                            double eps,
                            double p,
                            uint64_t key,
                            const Context* context) {
    const auto row_options = x.options().dtype(at::kFloat);
    Inputs in{x,
              from_optional(residual),
              gain,
              at::empty({x.size(0)}, row_options),
              at::empty({x.size(0)}, row_options),
              NormShape(x, eps, mask_of(p, key))};
    const at::Tensor y = run_forward(in, bias);
    ctx->save_for_backward({x, in.residual, gain, in.mean, in.rstd});
    auto& data = ctx->saved_data;
    data["eps"] = eps;
    data["p"] = p;
    data["key"] = static_cast<int64_t>(key);
    data["gain gradient"] = context->gradient(gain);
    data["bias gradient"] = context->gradient(bias);
    return y;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    auto& data = ctx->saved_data;
    const at::Tensor dy = outputs[0].contiguous();
    const auto key = static_cast<uint64_t>(data["key"].toInt());
    const Mask mask = mask_of(data["p"].toDouble(), key);
    Inputs in{saved[0],
              saved[1],
              saved[2],
              saved[3],
              saved[4],
              NormShape(saved[0], data["eps"].toDouble(), mask)};
    const at::Tensor d_sum = at::empty(in.x.sizes(), in.x.options());  // [rows, model]
    const at::Tensor dx =                                              // [rows, model]
        key == 0 ? d_sum : at::empty(in.x.sizes(), in.x.options());
    run_backward(in, dy, dx, d_sum);
    const at::Tensor d_parameters = run_parameter_gradients(in, dy);  // [2, model]
    const auto collected = [&](const char* place, int64_t row) {
      ParameterGradient gradient(data[place].toTensor(), in.gain.sizes(), d_parameters.options());
      gradient.add(d_parameters[row]);  // [model]
      return gradient.for_autograd();
    };
    return {dx,
            in.residual.defined() ? d_sum : at::Tensor(),
            collected("gain gradient", 0),
            collected("bias gradient", 1),
            {},
            {},
            {},
            {}};
  }
};

}  // namespace

at::Tensor dropout_add_norm(const at::Tensor& x,
                            const at::Tensor& residual,
                            const at::Tensor& gain,
                            const at::Tensor& bias,
                            double eps,
                            double p,
                            uint64_t key,
                            const Context& context) {
  const at::Tensor rest = residual.defined() ? residual.contiguous() : residual;
  return DropoutAddNorm::apply(x.contiguous(),
                               to_optional(rest),
                               gain.contiguous(),
                               bias.contiguous(),
                               eps,
                               p,
                               key,
                               &context);
}

}  // namespace phraseq::nn::gpu
