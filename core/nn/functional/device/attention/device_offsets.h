#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// Offsets of packed sentences on a device, [offsets] int32. The last few that a thread asked for
/// are kept: the layers of a model ask for the same ones, and only the first of them is copied. The
/// host does not wait.
PHRASEQ_API at::Tensor device_offsets(const std::vector<int64_t>& offsets, at::Device device);

}  // namespace phraseq::nn
