#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/nn/kernels/packed/int8_kernels.h"
#include "core/nn/kernels/packed/packed_kernels.h"

namespace phraseq::nn {

/// The loops over packed matrices for a level that this processor has.
PHRASEQ_API const kernels::PackedKernels<float>& packed_loops(kernels::Level level);

/// Loops over matrices of 8-bit numbers that this processor has.
struct Int8Variant {
  const char* name;
  kernels::Level level;  ///< the lowest one that allows it
  const kernels::Int8Kernels<float>* loops;
};

/// The fastest one last.
PHRASEQ_API const std::vector<Int8Variant>& int8_variants();

/// The fastest ones for a level that this processor has.
PHRASEQ_API const Int8Variant& int8_variant(kernels::Level level);

}  // namespace phraseq::nn
