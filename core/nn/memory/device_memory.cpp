#include "core/nn/memory/device_memory.h"

#include <algorithm>
#include <limits>

#include <c10/core/CachingDeviceAllocator.h>

#include "core/base/memory/available_memory.h"
#include "core/nn/memory/caching_allocator.h"

namespace phraseq::nn {
namespace {

constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);

c10::DeviceAllocator& allocator_of(const c10::Device& device) {
  return *c10::getDeviceAllocator(device.type());
}

c10::CachingDeviceAllocator::DeviceStats stats_of(const c10::Device& device) {
  return allocator_of(device).getDeviceStats(device.index());
}

int64_t as_signed(uint64_t bytes) {
  return static_cast<int64_t>(
      std::min(bytes, static_cast<uint64_t>(std::numeric_limits<int64_t>::max())));
}

}  // namespace

MemoryUse memory_use(const c10::Device& device) {
  if (device.is_cpu()) {
    const CachedMemory memory = cached_memory();
    return {as_signed(memory.in_use), as_signed(memory.peak)};
  }
  const auto bytes = stats_of(device).allocated_bytes[kAll];
  return {bytes.current, bytes.peak};
}

void reset_peak_memory(const c10::Device& device) {
  if (device.is_cpu()) {
    reset_peak_of_cached_memory();
  } else {
    allocator_of(device).resetPeakStats(device.index());
  }
}

bool counts_memory(const c10::Device& device) {
  return !device.is_cpu() || has_caching_allocator();
}

int64_t free_memory(const c10::Device& device) {
  if (device.is_cpu()) {
    const CachedMemory memory = cached_memory();
    const auto kept = as_signed(memory.mapped - std::min(memory.mapped, memory.in_use));
    const int64_t available = as_signed(available_memory());
    return available + std::min(kept, std::numeric_limits<int64_t>::max() - available);
  }
  const auto stats = stats_of(device);
  const int64_t kept = stats.reserved_bytes[kAll].current - stats.allocated_bytes[kAll].current;
  return as_signed(allocator_of(device).getMemoryInfo(device.index()).first) + kept;
}

void release_memory(const c10::Device& device) {
  if (device.is_cpu()) {
    release_cached_memory();
  } else {
    allocator_of(device).emptyCache();
  }
}

MemoryLimit::MemoryLimit(const c10::Device& device, int64_t bytes) : limits_(device.is_cpu()) {
  if (limits_)
    limit_cached_memory(static_cast<size_t>(bytes));
}

MemoryLimit::~MemoryLimit() {
  if (limits_)
    limit_cached_memory(0);
}

}  // namespace phraseq::nn
