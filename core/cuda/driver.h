#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/cuda/kernel_cache.h"

namespace phraseq::cuda {

/// How many blocks a kernel runs in, and how many threads each has.
struct LaunchShape {
  uint32_t blocks = 1;
  uint32_t blocks_y = 1;
  uint32_t threads = 256;
  uint32_t shared_bytes = 0;  ///< bytes of memory that a block shares; at most 48 KiB
  int device = 0;
};

/// Kernels on GPUs, in the context that LibTorch uses: compiled when they are first used, loaded
/// once for each device.
///
/// Throws PluginError if the driver or NVRTC is missing, a source does not compile, or the driver
/// reports an error.
class PHRASEQ_API KernelLauncher {
 public:
  /// Whether there is a driver with GPUs, and an NVRTC that compiles for them.
  static bool available();
  static KernelLauncher& instance();

  /// Starts `function` of a kernel's source on `stream` (a cudaStream_t). `arguments` point to the
  /// values of the parameters.
  void launch(const KernelSource& kernel,
              const std::string& function,
              const LaunchShape& shape,
              void* stream,
              const std::vector<void*>& arguments);

 private:
  KernelLauncher() = default;
  void* function_of(const KernelSource& kernel, const std::string& function, int device);
  void* load(const KernelSource& kernel, const std::string& architecture);

  std::mutex mutex_;
  KernelCache cache_;
  /// Modules by device, name and options; functions by these and their own name.
  std::map<std::string, void*> modules_;
  std::map<std::string, void*> functions_;
};

}  // namespace phraseq::cuda
