#include "core/run/options/device_options.h"

#include <ATen/Context.h>

#include "core/base/error.h"

namespace phraseq {

void DeviceOptions::describe(OptionTable& table) {
  table.field(
      "device", device, kDeviceChoiceNames, "Device to use; auto = the GPU, if there is one.");
  table.field("cpu", cpu, "Use the CPU (the same as --device cpu).");
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
