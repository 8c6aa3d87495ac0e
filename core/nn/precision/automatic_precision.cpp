#include "core/nn/precision/automatic_precision.h"

#include <dlfcn.h>

#include <fmt/format.h>

namespace phraseq::nn {
namespace {

bool processor_has_bf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

/// The major compute capability, from the CUDA runtime that LibTorch has loaded; 0 when it is
/// unknown.
int compute_capability(int device_index) {
  using GetAttribute = int (*)(int*, int, int);
  constexpr int kComputeCapabilityMajor = 75;  // cudaDevAttrComputeCapabilityMajor
  const auto get = reinterpret_cast<GetAttribute>(dlsym(RTLD_DEFAULT, "cudaDeviceGetAttribute"));
  int major = 0;
  if (get == nullptr || get(&major, kComputeCapabilityMajor, device_index) != 0)
    return 0;
  return major;
}

PrecisionChoice choice_for_gpu(const c10::Device& device) {
  const int major = compute_capability(device.has_index() ? device.index() : 0);
  if (major >= 8)
    return {Precision::kBf16, fmt::format("the GPU has compute capability {}.x", major)};
  return {Precision::kFp32, "the GPU has no bf16 matrix products (compute capability below 8.0)"};
}

}  // namespace

PrecisionChoice automatic_precision(const c10::Device& device) {
  if (device.is_cuda())
    return choice_for_gpu(device);
  if (processor_has_bf16())
    return {Precision::kBf16, "the processor has avx512_bf16"};
  return {Precision::kFp32, "the processor has no avx512_bf16"};
}

}  // namespace phraseq::nn
