#pragma once

#include <cstdint>

#include <c10/core/Device.h>

#include "core/base/api.h"

/// What tensors need and what a device has, in bytes; the same for a GPU, as LibTorch's allocator
/// counts it, and for the CPU, as the caching allocator does. Without that allocator, nothing is
/// known of the CPU: 0.
namespace phraseq::nn {

struct MemoryUse {
  int64_t now = 0;
  int64_t peak = 0;  ///< since reset_peak_memory
};
PHRASEQ_API MemoryUse memory_use(const c10::Device& device);
PHRASEQ_API void reset_peak_memory(const c10::Device& device);

/// Whether `memory_use` counts anything.
PHRASEQ_API bool counts_memory(const c10::Device& device);

/// What further tensors can have: free on the device, or kept by the allocator for them.
PHRASEQ_API int64_t free_memory(const c10::Device& device);

/// Gives what the allocator keeps back to the device.
PHRASEQ_API void release_memory(const c10::Device& device);

/// As long as it exists, a tensor on the CPU with which all would have more than `bytes` fails for
/// want of memory, well before the system ends the process. Nothing on a GPU, whose driver refuses
/// what it does not have.
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
