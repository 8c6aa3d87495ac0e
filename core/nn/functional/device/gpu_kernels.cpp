#include "core/nn/functional/device/gpu_kernels.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/nn/kernels/random_bits.h"

namespace phraseq::nn::gpu {
namespace {

/// Whether the kernels may be used: unless PHRASEQ_CUDA_KERNELS=0 is set in the environment.
bool are_kernels_wanted() {
  static const bool are_wanted = [] {
    const char* const value = std::getenv("PHRASEQ_CUDA_KERNELS");
    return value == nullptr || std::string_view(value) != "0";
  }();
  return are_wanted;
}

}  // namespace

bool has_kernels(const at::Tensor& x, at::ScalarType type) {
  const bool is_known = type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
  return x.is_cuda() && is_known && are_kernels_wanted() && cuda::KernelLauncher::available();
}

int element_of(at::ScalarType type) {
  return type == at::kFloat ? 0 : type == at::kBFloat16 ? 1 : 2;
}

Arguments& Arguments::add(const at::Tensor& x) {
  void*& address = addresses_.at(addresses_used_++);
  address = x.defined() ? const_cast<void*>(x.const_data_ptr()) : nullptr;
  pointers_.push_back(&address);
  return *this;
}

void launch(const at::Tensor& x,
            const cuda::KernelSource& kernel,
            const std::string& function,
            cuda::LaunchShape shape,
            const Arguments& arguments) {
  shape.device = x.device().index();
  cuda::KernelLauncher::instance().launch(
      kernel, function, shape, /*stream=*/nullptr, arguments.pointers());
}

bool are_aligned(std::initializer_list<at::Tensor> tensors) {
  constexpr uintptr_t kBytes = 16;
  return std::all_of(tensors.begin(), tensors.end(), [](const at::Tensor& x) {
    return !x.defined() || reinterpret_cast<uintptr_t>(x.const_data_ptr()) % kBytes == 0;
  });
}

at::Tensor aligned(const at::Tensor& x) {
  return are_aligned({x}) ? x.contiguous() : x.clone(at::MemoryFormat::Contiguous);
}

Mask mask_of(double p, uint64_t key) {
  if (p == 0.0)
    key = 0;
  return {key, kernels::dropout_threshold(p), static_cast<float>(1.0 / (1.0 - p))};
}

}  // namespace phraseq::nn::gpu
