#include "core/nn/packed/packed_product.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>

#include "core/nn/packed/packed_weights.h"

namespace phraseq::nn {

const PackedMatrix* packed_matrix(const at::Tensor& x,
                                  at::TensorList weights,
                                  const Context& context,
                                  const std::function<at::Tensor()>& stack) {
  if (at::GradMode::is_enabled() || !x.is_cpu() || x.scalar_type() != at::kFloat ||
      context.precision() != Precision::kFp32)
    return nullptr;
  PackedWeights* packed = packed_weights_of(weights.front());
  if (packed == nullptr || !own_product_pays(x.size(0), packed->kind(), kernels::best_level()))
    return nullptr;
  const bool in_one_memory =
      std::all_of(weights.begin(), weights.end(), [&](const at::Tensor& weight) {
        return weight.is_alias_of(weights.front());
      });
  return in_one_memory ? &packed->matrix(weights, stack) : nullptr;
}

}  // namespace phraseq::nn
