#include "core/nn/precision/automatic_precision.h"

#include <fmt/format.h>

#include "core/nn/precision/compute_capability.h"

namespace phraseq::nn {
namespace {

bool processor_has_bf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

PrecisionChoice choice_for_gpu(const c10::Device& device) {
  const int major = compute_capability(device);
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
