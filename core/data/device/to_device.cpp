#include "core/data/device/to_device.h"

#include <ATen/ops/tensor.h>

namespace phraseq {

at::Tensor to_device(const at::Tensor& tensor, at::Device device) {
  const bool is_sent = tensor.is_cpu() && device.is_cuda() && tensor.numel() > 0;
  return is_sent ? tensor.pin_memory().to(device, /*non_blocking=*/true) : tensor.to(device);
}

at::Tensor to_device(const std::vector<int64_t>& numbers, at::Device device) {
  return to_device(at::tensor(numbers, at::kLong), device);
}

}  // namespace phraseq
