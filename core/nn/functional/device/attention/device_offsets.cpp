#include "core/nn/functional/device/attention/device_offsets.h"

#include <ATen/ops/empty.h>

#include "core/data/device/to_device.h"
#include "core/nn/functional/device/attention/kept_tensors.h"

namespace phraseq::nn {
namespace {

at::Tensor copied(const std::vector<int64_t>& offsets, at::Device device) {
  at::Tensor numbers = at::empty({static_cast<int64_t>(offsets.size())}, at::kInt);  // [offsets]
  auto* const values = numbers.mutable_data_ptr<int32_t>();
  for (size_t i = 0; i < offsets.size(); ++i) values[i] = static_cast<int32_t>(offsets[i]);
  return to_device(numbers, device);
}

}  // namespace

at::Tensor device_offsets(const std::vector<int64_t>& offsets, at::Device device) {
  // Four: for source and target of the current and the previous batch.
  thread_local KeptTensors<4> kept;
  return kept.get(offsets, {}, device, [&] { return copied(offsets, device); });
}

}  // namespace phraseq::nn
