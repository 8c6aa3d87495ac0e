#pragma once

#include <algorithm>
#include <cstdint>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#include "core/nn/flat_parameters.h"
#include "core/nn/functional/reference/operators_only.h"
#include "core/optim/update_kernels.h"

namespace phraseq {

/// The number of elements that one call of an update kernel works on. It is constant, so that the
/// end of a vectorized loop, and therefore the last bit, does not depend on the number of threads.
inline constexpr int64_t kUpdateBlock = 16384;

/// Calls `update(offset, size)` for every block of the buffer, in parallel.
template <class Update>
void for_each_block(int64_t elements, Update&& update) {
  const int64_t blocks = (elements + kUpdateBlock - 1) / kUpdateBlock;
  at::parallel_for(0, blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t offset = block * kUpdateBlock;
      update(offset, std::min(kUpdateBlock, elements - offset));
    }
  });
}

/// Whether the update kernels can work on the buffers; other devices use ATen's operators.
inline bool uses_kernels(const nn::FlatParameters& parameters) {
  const at::Tensor& values = parameters.values();
  return values.is_cpu() && !nn::operators_only() &&
         (values.scalar_type() == at::kFloat || values.scalar_type() == at::kDouble);
}

/// One update: `kernel` with a zero of the buffers' type, or `operators` if the kernels cannot be
/// used.
template <class Kernel, class Operators>
void run_update(const nn::FlatParameters& parameters, Kernel&& kernel, Operators&& operators) {
  if (!uses_kernels(parameters)) {
    operators();
  } else if (parameters.values().scalar_type() == at::kDouble) {
    kernel(0.0);
  } else {
    kernel(0.0F);
  }
}

/// The bf16 copy that the kernels also write, [elements]; null if there is none.
inline nn::kernels::Bfloat16* bf16_data(nn::FlatParameters& parameters) {
  const at::Tensor& copy = parameters.bf16();
  return copy.defined() ? static_cast<nn::kernels::Bfloat16*>(copy.data_ptr()) : nullptr;
}

/// The optimizers' kernels for this processor.
template <class T>
const kernels::UpdateKernels<T>& update_loops() {
  return kernels::update_kernels<T>(nn::kernels::best_level());
}

}  // namespace phraseq
