#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/nn/kernels/packed/narrow_kernels.h"
#include "core/nn/kernels/packed/packed_kernels.h"
#include "core/nn/kernels/tiles/tile_product.h"

namespace phraseq::nn {

/// The loops over packed matrices for a level that this processor supports.
PHRASEQ_API const kernels::PackedKernels<float>& packed_loops(kernels::Level level);

/// A variant of the loops over matrices of 8-bit or 16-bit numbers that this processor supports.
struct NarrowVariant {
  const char* name;
  kernels::Level level;  ///< the lowest level that includes it
  const kernels::NarrowKernels<float>* loops;
};

/// The variants for 8-bit numbers, the fastest one last.
PHRASEQ_API const std::vector<NarrowVariant>& int8_variants();
PHRASEQ_API const std::vector<NarrowVariant>& bf16_variants();

/// The fastest variants for a level that this processor supports.
PHRASEQ_API const NarrowVariant& int8_variant(kernels::Level level);
PHRASEQ_API const NarrowVariant& bf16_variant(kernels::Level level);

/// The products of large bf16 matrices for a level; null if the processor has no tile registers.
PHRASEQ_API const kernels::TileKernels* tile_loops(kernels::Level level);

}  // namespace phraseq::nn
