#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// Memory for the packed matrices of a model, side by side in the order in which they are packed:
/// that of their first use. A step of decoding then reads one stream of huge pages, and what the
/// processor prefetches after one matrix is the next one.
class PHRASEQ_API PackedMemory {
 public:
  /// [bytes] on the CPU, uninitialized, aligned to a cache line.
  at::Tensor take(int64_t bytes);

 private:
  at::Tensor chunk_;  // the one that is being filled; the others belong to their matrices
  int64_t used_ = 0;
};

}  // namespace phraseq::nn
