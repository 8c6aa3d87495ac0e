#pragma once

#include "core/base/api.h"
#include "core/nn/kernels/packed/int8_kernels.h"
#include "core/nn/kernels/packed/packed_kernels.h"

namespace phraseq::nn {

/// The loops over packed matrices for a level that this processor has.
PHRASEQ_API const kernels::PackedKernels<float>& packed_loops(kernels::Level level);
PHRASEQ_API const kernels::Int8Kernels<float>& int8_loops(kernels::Level level);

}  // namespace phraseq::nn
