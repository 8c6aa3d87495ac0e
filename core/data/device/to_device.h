#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq {

/// `tensor` on `device`. Memory of the host goes to a GPU by way of pinned memory: the copy is
/// queued, and the host does not wait for what the GPU has to do before.
PHRASEQ_API at::Tensor to_device(const at::Tensor& tensor, at::Device device);

/// The numbers, [numbers] int64, in the same way.
PHRASEQ_API at::Tensor to_device(const std::vector<int64_t>& numbers, at::Device device);

}  // namespace phraseq
