#include "core/optim/optimizers/device/adam_kernel.h"

#include <cstdint>

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq {
namespace {

void step_on_gpu(const AdamPass& pass) {
  constexpr int64_t kThreads = 256;
  long long elements = pass.values.numel();
  kernels::AdamCoefficients<float> by = pass.by;
  nn::gpu::Arguments arguments;
  arguments.add(pass.values).add(pass.gradients).add(pass.exp_avg).add(pass.exp_avg_sq);
  arguments.add(pass.copy).add(pass.take_step).add(pass.scale).add_value(elements).add_value(by);
  const int element = pass.copy.defined() ? nn::gpu::element_of(pass.copy.scalar_type()) : 0;
  nn::gpu::launch(pass.values,
                  cuda::adam_kernel(element),
                  "adam",
                  {.blocks = nn::gpu::blocks_for(elements, kThreads), .threads = kThreads},
                  arguments);
}

}  // namespace

AdamKernel adam_kernel_for(nn::FlatParameters& parameters) {
  const at::Tensor& values = parameters.values();
  return values.scalar_type() == at::kFloat && nn::gpu::has_kernels(values) ? &step_on_gpu
                                                                            : nullptr;
}

}  // namespace phraseq
