#include "core/nn/linear_map.h"

#include <ATen/ops/empty.h>

#include "core/nn/functional/linear.h"

namespace phraseq::nn {

LinearMap::LinearMap(int64_t in, int64_t out, bool with_bias, MapRole role) : role_(role) {
  weight = register_parameter("weight", at::empty({out, in}));
  if (with_bias)
    bias = register_parameter("bias", at::empty({out}));
}

at::Tensor LinearMap::forward(const at::Tensor& x,
                              Context& context,
                              Activation activation,
                              double dropout) const {
  return linear(x, weight, bias, context, activation, dropout);
}

void LinearMap::initialize(Initializer& initializer) { initializer.map(weight, bias, role_); }

}  // namespace phraseq::nn
