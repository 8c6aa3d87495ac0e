#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq {

/// `tensor` on `device`. Host memory is copied to a GPU through pinned memory: the copy is queued,
/// and the host does not wait for earlier work of the GPU.
PHRASEQ_API at::Tensor to_device(const at::Tensor& tensor, at::Device device);

/// The numbers, [numbers] int64, in the same way.
PHRASEQ_API at::Tensor to_device(const std::vector<int64_t>& numbers, at::Device device);

}  // namespace phraseq
