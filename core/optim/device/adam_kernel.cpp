#include "core/optim/device/adam_kernel.h"

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq {
namespace {

AdamKernel& replacement() {
  static AdamKernel kernel = nullptr;
  return kernel;
}

/// The same fields as AdamStep of adam.cu.
struct Step {
  float beta1, one_minus_beta1, beta2, one_minus_beta2, decay_factor, step_size, eps;
};

void step_on_gpu(const AdamPass& pass) {
  constexpr int64_t kThreads = 256;
  long long elements = pass.values.numel();
  Step by{pass.beta1,
          pass.one_minus_beta1,
          pass.beta2,
          pass.one_minus_beta2,
          pass.decay_factor,
          pass.step_size,
          pass.eps};
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
  if (values.scalar_type() != at::kFloat)
    return nullptr;
  if (replacement() != nullptr)
    return replacement();
  return nn::gpu::has_kernels(values) ? &step_on_gpu : nullptr;
}

void replace_adam_kernel(AdamKernel kernel) { replacement() = kernel; }

}  // namespace phraseq
