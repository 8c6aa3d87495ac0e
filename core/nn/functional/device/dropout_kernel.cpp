#include "core/nn/functional/device/dropout_kernel.h"

#include <ATen/ops/empty.h>

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::nn::gpu {
at::Tensor dropout_add(const at::Tensor& x, const at::Tensor& residual, double p, uint64_t key) {
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

}  // namespace phraseq::nn::gpu
