#pragma once

#include <cstdint>

#include <c10/core/Device.h>

#include "core/base/api.h"

/// The memory of tensors and devices, in bytes, as counted by LibTorch's allocator for a GPU and by
/// the caching allocator for the CPU. Without the latter, the numbers for the CPU are 0.
namespace phraseq::nn {

/// The memory of tensors on a device, in bytes.
struct MemoryUse {
  int64_t now = 0;
  int64_t peak = 0;  ///< since reset_peak_memory
};
PHRASEQ_API MemoryUse memory_use(const c10::Device& device);
PHRASEQ_API void reset_peak_memory(const c10::Device& device);

/// Whether `memory_use` counts anything.
PHRASEQ_API bool counts_memory(const c10::Device& device);

/// The memory available to further tensors: free on the device, or kept unused by the allocator.
PHRASEQ_API int64_t free_memory(const c10::Device& device);

/// Returns the memory that the allocator keeps unused to the device.
PHRASEQ_API void release_memory(const c10::Device& device);

/// While it exists, allocating a tensor on the CPU fails if all tensors would then take more than
/// `bytes`, well before the system kills the process. Has no effect on a GPU, whose driver rejects
/// requests that exceed its memory.
class PHRASEQ_API MemoryLimit {
 public:
  MemoryLimit(const c10::Device& device, int64_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  bool limits_;
};

}  // namespace phraseq::nn
