#include "core/nn/packed/packed_loops.h"

namespace phraseq::nn {

const kernels::PackedKernels<float>& packed_loops(kernels::Level level) {
  return kernels::packed_kernels<float>(level);
}

const kernels::Int8Kernels<float>& int8_loops(kernels::Level level) {
  return kernels::int8_kernels<float>(level);
}

}  // namespace phraseq::nn
