#pragma once

#include <vector>

#include "core/nn/kernels/processor_level.h"

namespace phraseq::nn::kernels {

/// All levels that this processor has.
inline std::vector<Level> present_levels() {
  std::vector<Level> present;
  for (const Level level : {Level::kBaseline, Level::kV3, Level::kV4}) {
    if (has_level(level))
      present.push_back(level);
  }
  return present;
}

}  // namespace phraseq::nn::kernels
