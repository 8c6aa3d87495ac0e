#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq::cuda {

/// What a compiled kernel depends on.
struct KernelSource {
  std::string name;                  ///< of the file, for messages: "adam.cu"
  std::string text;                  ///< the whole source
  std::vector<std::string> options;  ///< of the compiler
};

/// The kernels of phraseq, one source each: kernels/common.cu and the kernel, for activations of
/// `element` (0 = fp32, 1 = bf16, 2 = fp16).
PHRASEQ_API std::vector<KernelSource> all_kernels(int element);
PHRASEQ_API KernelSource dropout_kernel(int element);
PHRASEQ_API KernelSource dropout_add_norm_kernel(int element);
PHRASEQ_API KernelSource adam_kernel(int element);
PHRASEQ_API KernelSource embedding_kernel(int element);

/// Compiled kernels as files, so that a source is compiled once for a machine: by source, options,
/// architecture and version of the compiler.
class PHRASEQ_API KernelCache {
 public:
  /// In PHRASEQ_CUDA_CACHE of the environment, else in `phraseq/cuda` in XDG_CACHE_HOME or
  /// ~/.cache; nowhere when none of them is set.
  KernelCache();
  /// In a folder; empty = nothing is kept.
  explicit KernelCache(std::string folder);

  using Compile = std::function<std::string()>;
  /// The cubin of a kernel; `compile` is called when there is no whole file of it. A folder that
  /// cannot be written is no error.
  std::string cubin(const KernelSource& kernel,
                    const std::string& architecture,
                    const std::string& compiler_version,
                    const Compile& compile) const;
  /// The file that holds it; empty when nothing is kept.
  std::string path_of(const KernelSource& kernel,
                      const std::string& architecture,
                      const std::string& compiler_version) const;

 private:
  std::string folder_;
};

}  // namespace phraseq::cuda
