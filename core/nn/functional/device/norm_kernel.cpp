#include "core/nn/functional/device/norm_kernel.h"

#include <algorithm>
#include <initializer_list>

#include <ATen/ops/empty.h>

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::nn::gpu {
namespace {

/// The struct NormShape of dropout_add_norm.cu.
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

/// The inputs of the passes; mean and rstd [rows] fp32.
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

  /// The kernel for these inputs and for the other tensors that it reads or writes.
  const cuda::KernelSource& kernel(std::initializer_list<at::Tensor> others) const {
    const bool is_aligned = are_aligned({x, residual}) && are_aligned(others);
    return cuda::dropout_add_norm_kernel(
        element_of(x.scalar_type()),
        cuda::row_variant(shape.columns, static_cast<int64_t>(x.element_size()), is_aligned));
  }
};

/// The launch shape for warps that process row after row, in at most `most_blocks` blocks.
cuda::LaunchShape warps_for(int64_t rows, int64_t most_blocks) {
  constexpr int64_t kWarpsOfABlock = 4;
  const int64_t blocks = std::min<int64_t>(blocks_for(rows, kWarpsOfABlock), most_blocks);
  return {.blocks = static_cast<uint32_t>(std::max<int64_t>(blocks, 1)),
          .threads = 32 * kWarpsOfABlock};
}

}  // namespace

bool has_norm_kernel(const at::Tensor& x, const at::Tensor& gain) {
  return has_kernels(x) && gain.scalar_type() == at::kFloat && x.size(-1) > 0 &&
         x.size(-1) <= cuda::kMaxRowColumns;
}

at::Tensor dropout_add_norm(const NormInputs& inputs, const at::Tensor& bias, double eps) {
  Inputs in(inputs, eps);
  const at::Tensor y = at::empty(in.x.sizes(), in.x.options());  // [rows, model]
  const at::Tensor shift = bias.contiguous();                    // [model]
  Arguments arguments;
  arguments.add(in.x).add(in.residual).add(in.gain).add(shift).add(y).add(in.mean).add(in.rstd);
  arguments.add_value(in.shape);
  constexpr int64_t kMaxBlocks = 2112;  // each warp reads gain and bias
  if (in.shape.rows > 0)
    launch(
        in.x, in.kernel({y}), "dropout_add_norm", warps_for(in.shape.rows, kMaxBlocks), arguments);
  return y;
}

at::Tensor dropout_add_norm_backward(const NormInputs& inputs,
                                     const at::Tensor& dy,
                                     const at::Tensor& dx,
                                     const at::Tensor& d_sum) {
  Inputs in(inputs, /*eps=*/0.0);      // included in rstd
  constexpr int64_t kMaxBlocks = 528;  // enough for every GPU; the sums of each warp are added
  const cuda::LaunchShape warps = warps_for(in.shape.rows, kMaxBlocks);
  const at::Tensor partial =  // [warps, 2, model]
      at::empty({warps.blocks * warps.threads / 32, 2, in.shape.columns}, in.mean.options());
  Arguments arguments;
  arguments.add(dy).add(in.x).add(in.residual).add(in.gain).add(in.mean).add(in.rstd);
  arguments.add(dx).add(d_sum).add(partial).add_value(in.shape);
  launch(in.x, in.kernel({dy, dx, d_sum}), "dropout_add_norm_backward", warps, arguments);
  return partial.sum(0);  // [2, model]
}

}  // namespace phraseq::nn::gpu
