#include "core/optim/device/adam_kernel.h"

#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/cuda/driver.h"

namespace phraseq {
namespace {

AdamKernel& replacement() {
  static AdamKernel kernel = nullptr;
  return kernel;
}

bool are_kernels_wanted() {
  const char* const value = std::getenv("PHRASEQ_CUDA_KERNELS");
  return value != nullptr && std::string_view(value) == "1";
}

/// AdamStep of adam.cu.
struct Step {
  float beta1, one_minus_beta1, beta2, one_minus_beta2, keep, step_size, eps;
};

/// 0 = fp32, 1 = bf16, 2 = fp16
int element_of(const at::Tensor& copy) {
  if (!copy.defined())
    return 0;
  return copy.scalar_type() == at::kBFloat16 ? 1 : 2;
}

/// On LibTorch's default stream, which training uses.
void step_on_gpu(const AdamPass& pass) {
  constexpr uint32_t kThreads = 256;
  std::vector<void*> addresses;
  for (const at::Tensor& x : {pass.values,
                              pass.gradients,
                              pass.exp_avg,
                              pass.exp_avg_sq,
                              pass.copy,
                              pass.keep,
                              pass.scale})
    addresses.push_back(x.defined() ? x.data_ptr() : nullptr);
  long long elements = pass.values.numel();
  Step by{pass.beta1,
          pass.one_minus_beta1,
          pass.beta2,
          pass.one_minus_beta2,
          pass.decay,
          pass.step_size,
          pass.eps};
  std::vector<void*> arguments;
  for (void*& address : addresses) arguments.push_back(&address);
  arguments.push_back(&elements);
  arguments.push_back(&by);
  const auto blocks = static_cast<uint32_t>((elements + kThreads - 1) / kThreads);
  cuda::KernelLauncher::instance().launch(cuda::adam_kernel(element_of(pass.copy)),
                                          "adam",
                                          {.blocks = blocks, .threads = kThreads},
                                          /*stream=*/nullptr,
                                          arguments);
}

}  // namespace

AdamKernel adam_kernel_for(nn::FlatParameters& parameters) {
  const at::Tensor& values = parameters.values();
  if (values.scalar_type() != at::kFloat)
    return nullptr;
  if (replacement() != nullptr)
    return replacement();
  static const bool is_usable = are_kernels_wanted() && cuda::KernelLauncher::available();
  return values.is_cuda() && is_usable ? &step_on_gpu : nullptr;
}

void replace_adam_kernel(AdamKernel kernel) { replacement() = kernel; }

}  // namespace phraseq
