#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq::cuda {

/// NVIDIA's run-time compiler (libnvrtc), which LibTorch's CUDA wheel brings. It is loaded when it
/// is first asked for: nothing of CUDA is needed to build or to run phraseq without a GPU.
class PHRASEQ_API Nvrtc {
 public:
  /// Null where there is no libnvrtc. It is looked for in the file that PHRASEQ_NVRTC of the
  /// environment names, else where the loader finds it (versions 13 and 12), also among what the
  /// process has loaded, else next to the CUDA runtime that the process has loaded.
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
