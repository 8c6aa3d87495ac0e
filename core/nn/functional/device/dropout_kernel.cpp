#include "core/nn/functional/device/dropout_kernel.h"

#include <ATen/ops/empty.h>

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::nn::gpu {
namespace {

/// The struct DropoutShape of dropout.cu.
struct DropoutShape {
  long long elements;
  unsigned long long key;
  uint32_t threshold;
  float kept;

  DropoutShape(const at::Tensor& x, const Mask& mask)
      : elements(x.numel()), key(mask.key), threshold(mask.threshold), kept(mask.kept) {}
};

/// Launches a kernel with threads for all elements of x.
void launch_for_elements(const at::Tensor& x, const char* function, const Arguments& arguments) {
  constexpr int64_t kThreads = 256;
  if (x.numel() == 0)
    return;
  launch(x,
         cuda::dropout_kernel(element_of(x.scalar_type())),
         function,
         {.blocks = blocks_for(x.numel(), kThreads * pack_of(x)), .threads = kThreads},
         arguments);
}

}  // namespace

at::Tensor dropout_add(const at::Tensor& x, const at::Tensor& residual, double p, uint64_t key) {
  const at::Tensor y = at::empty(x.sizes(), x.options());
  DropoutShape shape(x, mask_of(p, key));
  Arguments arguments;
  arguments.add(x).add(residual).add(y).add_value(shape);
  launch_for_elements(x, "dropout_add", arguments);
  return y;
}

void relu_dropout(const at::Tensor& x, const at::Tensor& y, double p, uint64_t key) {
  DropoutShape shape(x, mask_of(p, key));
  Arguments arguments;
  arguments.add(x).add(y).add_value(shape);
  launch_for_elements(x, "relu_dropout", arguments);
}

}  // namespace phraseq::nn::gpu
