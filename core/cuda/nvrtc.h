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
  /// Null if there is no libnvrtc. It is looked for in the file that the environment variable
  /// PHRASEQ_NVRTC names, otherwise where the loader finds it (versions 13 and 12), including what
  /// the process has loaded, otherwise next to the CUDA runtime that the process has loaded.
  static const Nvrtc* find();
  /// The library in a file; null when it cannot be loaded.
  static std::unique_ptr<Nvrtc> open(const std::string& path);

  /// "13.0"
  std::string version() const;

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
