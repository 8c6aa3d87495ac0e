#include "core/nn/precision/compute_capability.h"

#include <dlfcn.h>

namespace phraseq::nn {

int compute_capability(const c10::Device& device) {
  using GetAttribute = int (*)(int*, int, int);
  constexpr int kComputeCapabilityMajor = 75;  // cudaDevAttrComputeCapabilityMajor
  static const auto get =
      reinterpret_cast<GetAttribute>(dlsym(RTLD_DEFAULT, "cudaDeviceGetAttribute"));
  const int index = device.has_index() ? device.index() : 0;
  int major = 0;
  if (get == nullptr || get(&major, kComputeCapabilityMajor, index) != 0)
    return 0;
  return major;
}

}  // namespace phraseq::nn
