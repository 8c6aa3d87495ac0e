#include "core/nn/recurrent/recurrent_product.h"

#include "core/nn/functional/linear.h"

namespace phraseq::nn {

at::Tensor recurrent_product(const at::Tensor& x,
                             const at::Tensor& weight,
                             const at::Tensor& bias,
                             Context& context) {
  const at::Tensor rows = x.reshape({-1, x.size(-1)}).to(context.activation_type());  // [rows, in]
  auto sizes = x.sizes().vec();
  sizes.back() = weight.size(0);
  return linear(rows, weight, bias, context).to(weight.scalar_type()).view(sizes);  // […, out]
}

}  // namespace phraseq::nn
