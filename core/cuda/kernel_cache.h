#pragma once

#include <functional>
#include <string>

#include "core/base/api.h"
#include "core/cuda/kernel_sources.h"

namespace phraseq::cuda {

/// Compiled kernels as files, so that a source is compiled only once on a machine. The key consists
/// of the source, the options, the architecture and the version of the compiler.
class PHRASEQ_API KernelCache {
 public:
  /// Uses the folder that the environment variable PHRASEQ_CUDA_CACHE names, otherwise
  /// `phraseq/cuda` in XDG_CACHE_HOME or ~/.cache; none if no variable is set.
  KernelCache();
  /// Uses this folder; empty = no cache.
  explicit KernelCache(std::string folder);

  using Compile = std::function<std::string()>;
  /// The cubin of a kernel; `compile` is called if the cache has no complete file of it. A folder
  /// that cannot be written to is not an error.
  std::string cubin(const KernelSource& kernel,
                    const std::string& architecture,
                    const std::string& compiler_version,
                    const Compile& compile) const;
  /// The file of a cubin; empty if there is no cache.
  std::string path_of(const KernelSource& kernel,
                      const std::string& architecture,
                      const std::string& compiler_version) const;

 private:
  std::string folder_;
};

}  // namespace phraseq::cuda
