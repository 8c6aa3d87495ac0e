#include "core/nn/functional/device/attention/device_offsets.h"

#include <array>

#include <ATen/ops/empty.h>

#include "core/data/device/to_device.h"

namespace phraseq::nn {
namespace {

struct Kept {
  std::vector<int64_t> offsets;
  at::Tensor on_device;
};

/// Source and target of a batch, and of the batch before.
constexpr size_t kKept = 4;

at::Tensor copied(const std::vector<int64_t>& offsets, at::Device device) {
  at::Tensor numbers = at::empty({static_cast<int64_t>(offsets.size())}, at::kInt);  // [offsets]
  auto* const values = numbers.mutable_data_ptr<int32_t>();
  for (size_t i = 0; i < offsets.size(); ++i) values[i] = static_cast<int32_t>(offsets[i]);
  return to_device(numbers, device);
}

}  // namespace

at::Tensor device_offsets(const std::vector<int64_t>& offsets, at::Device device) {
  thread_local std::array<Kept, kKept> all_kept;
  thread_local size_t oldest = 0;
  for (const Kept& kept : all_kept) {
    if (kept.on_device.defined() && kept.on_device.device() == device && kept.offsets == offsets)
      return kept.on_device;
  }
  Kept& kept = all_kept[oldest];
  oldest = (oldest + 1) % kKept;
  kept = {offsets, copied(offsets, device)};
  return kept.on_device;
}

}  // namespace phraseq::nn
