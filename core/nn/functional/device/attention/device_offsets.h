#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// Offsets of packed sentences on a device, [offsets] int32. The last few that a thread requested
/// are kept: the layers of a model request the same offsets, which are then copied only once. The
/// host does not wait.
PHRASEQ_API at::Tensor device_offsets(const std::vector<int64_t>& offsets, at::Device device);

}  // namespace phraseq::nn
