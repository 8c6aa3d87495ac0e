#include "core/nn/parameters/parameter_gradient.h"

#include <ATen/ops/zeros.h>

#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/matrix_product.h"
#include "core/nn/functional/sum_type.h"

namespace phraseq::nn {

ParameterGradient::ParameterGradient(const at::Tensor& place,
                                     at::IntArrayRef sizes,
                                     const at::TensorOptions& options)
    : is_placed_(place.defined()), sum_(is_placed_ ? place : at::zeros(sizes, options)) {}

void ParameterGradient::add(const at::Tensor& x) {
  if (cpu::has_kernels(x) && sum_.is_contiguous() && x.is_contiguous() &&
      sum_.scalar_type() == sum_type(x))
    cpu::add_to(sum_, x);
  else
    sum_.add_(x);
}

void ParameterGradient::add_product(const at::Tensor& a, const at::Tensor& b) {
  add_matrix_product(sum_, a, b);
}

}  // namespace phraseq::nn
