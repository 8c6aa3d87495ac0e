#include "core/nn/memory/expandable_segments.h"

#include <cstdlib>

#include <c10/core/AllocatorConfig.h>

namespace phraseq::nn {

bool use_expandable_segments() {
  constexpr const char* kSetting = "expandable_segments:True";
  constexpr const char* kVariable = "PYTORCH_CUDA_ALLOC_CONF";
  if (std::getenv(kVariable) != nullptr || std::getenv("PYTORCH_ALLOC_CONF") != nullptr)
    return false;
  setenv(kVariable, kSetting, /*overwrite=*/0);  // for processes that this one starts
  c10::CachingAllocator::setAllocatorSettings(kSetting);
  return true;
}

}  // namespace phraseq::nn
