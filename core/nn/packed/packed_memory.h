#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// Memory for the packed matrices of a model, adjacent in the order in which they are packed, which
/// is that of their first use. A step of decoding then reads one stream of huge pages, and after a
/// matrix, the processor prefetches the next one.
class PHRASEQ_API PackedMemory {
 public:
  /// Returns uninitialized memory [bytes] on the CPU, aligned to a cache line.
  at::Tensor take(int64_t bytes);

 private:
  at::Tensor chunk_;  // the current chunk; the others belong to their matrices
  int64_t used_ = 0;
};

}  // namespace phraseq::nn
