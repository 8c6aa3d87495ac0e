#include "core/nn/functional/device/norm_kernel.h"

#include <algorithm>

#include <ATen/ops/empty.h>

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::nn::gpu {
namespace {

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

/// What the passes read: mean and rstd are each row's, [rows] fp32.
struct Inputs {
  at::Tensor x, residual, gain, mean, rstd;
  NormShape shape;

  Inputs(const NormInputs& in, double eps)
      : x(in.x),
        residual(in.residual),
        gain(in.gain.contiguous()),
        mean(in.moments[0]),
        rstd(in.moments[1]),
        shape(in.x, eps, mask_of(in.p, in.key)) {}

  cuda::KernelSource kernel() const {
    return cuda::dropout_add_norm_kernel(element_of(x.scalar_type()));
  }
};

/// A warp for each row.
cuda::LaunchShape warps_for(int64_t rows) {
  constexpr int64_t kRowsOfABlock = 4;
  return {.blocks = blocks_for(rows, kRowsOfABlock), .threads = 32 * kRowsOfABlock};
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

}  // namespace

at::Tensor dropout_add_norm(const NormInputs& inputs, const at::Tensor& bias, double eps) {
  Inputs in(inputs, eps);
  const at::Tensor y = at::empty(in.x.sizes(), in.x.options());  // [rows, model]
  const at::Tensor shift = bias.contiguous();                    // [model]
  Arguments arguments;
  arguments.add(in.x).add(in.residual).add(in.gain).add(shift).add(y).add(in.mean).add(in.rstd);
  arguments.add_value(in.shape);
  if (in.shape.rows > 0)
    launch(in.x, in.kernel(), "dropout_add_norm", warps_for(in.shape.rows), arguments);
  return y;
}

at::Tensor dropout_add_norm_backward(const NormInputs& inputs,
                                     const at::Tensor& dy,
                                     const at::Tensor& dx,
                                     const at::Tensor& d_sum) {
  Inputs in(inputs, /*eps=*/0.0);  // the deviations have it
  run_backward(in, dy, dx, d_sum);
  return run_parameter_gradients(in, dy);
}

}  // namespace phraseq::nn::gpu
