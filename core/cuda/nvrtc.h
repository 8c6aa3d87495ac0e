#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq::cuda {

/// NVIDIA's run-time compiler (libnvrtc), which comes with LibTorch's CUDA wheel. It is loaded when
/// it is first needed, so CUDA is not required to build phraseq or to run it without a GPU.
class PHRASEQ_API Nvrtc {
 public:
  /// Finds libnvrtc; null if there is none. It is the file that the environment variable
  /// PHRASEQ_NVRTC names (UsageError if it cannot be loaded), otherwise the file next to the CUDA
  /// runtime that the process has loaded, which matches LibTorch, otherwise the one that the loader
  /// finds (version 13 or 12).
  static const Nvrtc* find();
  /// Loads the library in a file; null if it cannot be loaded.
  static std::unique_ptr<Nvrtc> open(const std::string& path);

  /// The version, such as "13.0".
  std::string version() const;

  /// False for a GPU that is newer than the library.
  bool supports(const std::string& architecture) const;

  /// Compiles a source to a cubin for `architecture` ("sm_90"). Throws PluginError with the
  /// compiler's messages.
  std::string compile(const std::string& source,
                      const std::string& file_name,
                      const std::string& architecture,
                      const std::vector<std::string>& options) const;

 private:
  explicit Nvrtc(void* library);
  void* library_;
};

}  // namespace phraseq::cuda
