#include "core/run/options/device_options.h"

#include <cstdlib>

#include <ATen/Context.h>

#include "core/base/error.h"
#include "core/nn/memory/expandable_segments.h"

namespace phraseq {

void DeviceOptions::describe(OptionTable& table) {
  table.field(
      "device", device, kDeviceChoiceNames, "Device to use; auto = the GPU, if there is one.");
  table.field("cpu", cpu, "Use the CPU (the same as --device cpu).");
  table.field("tf32",
              tf32,
              "Round the factors of fp32 matrix products to TF32 (10 bits after the point) on GPUs "
              "that support it: several times faster.");
  table.field("deterministic",
              deterministic,
              "Use only GPU operators that give the same bits in every run; slower. On the CPU, "
              "this is always the case.");
}

void DeviceOptions::apply() const {
  if (chosen().is_cpu())
    return;
  nn::use_expandable_segments();
  at::Context& context = at::globalContext();
  if (tf32)
    context.setAllowTF32CuBLAS(true);
  if (!deterministic)
    return;
  // cuBLAS needs this for equal sums in every run, and reads it when it is first used.
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
  context.setDeterministicAlgorithms(true, /*warn_only=*/false);
  context.setDeterministicCuDNN(true);
  // By default, LibTorch's deterministic mode fills every new tensor with NaN.
  context.setDeterministicFillUninitializedMemory(false);
}

at::Device DeviceOptions::chosen() const {
  if (cpu || device == DeviceChoice::kCpu)
    return at::kCPU;
  if (at::hasCUDA())
    return {at::kCUDA, static_cast<at::DeviceIndex>(index)};
  if (device == DeviceChoice::kCuda)
    throw UsageError(
        "--device cuda: this machine has no CUDA device, or LibTorch was built without CUDA");
  return at::kCPU;
}

}  // namespace phraseq
