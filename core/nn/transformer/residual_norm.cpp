#include "core/nn/transformer/residual_norm.h"

#include <ATen/ops/empty.h>

#include "core/nn/functional/normalization.h"

namespace phraseq::nn {

LayerNorm::LayerNorm(int64_t width, double eps_value) : eps(eps_value) {
  weight = register_parameter("weight", at::empty({width}));
  bias = register_parameter("bias", at::empty({width}));
}

at::Tensor LayerNorm::forward(const at::Tensor& x, Context& context) const {
  return layer_norm(x, weight, bias, eps, context);
}

void LayerNorm::initialize(Initializer& initializer) { initializer.norm(weight, bias); }

std::shared_ptr<LayerNorm> register_final_norm(torch::nn::Module& owner,
                                               bool pre_norm,
                                               int64_t width,
                                               double eps) {
  if (!pre_norm)
    return nullptr;
  return owner.register_module("layer_norm", std::make_shared<LayerNorm>(width, eps));
}

at::Tensor enter_sublayer(const LayerNorm& norm,
                          const NormPlacement& placement,
                          const at::Tensor& x,
                          Context& context) {
  return placement.pre_norm ? norm.forward(x, context) : x;
}

at::Tensor leave_sublayer(const LayerNorm& norm,
                          const NormPlacement& placement,
                          const at::Tensor& output,
                          const at::Tensor& residual,
                          Context& context) {
  if (placement.pre_norm)
    return dropout_add(output, residual, placement.dropout, context);
  return dropout_add_norm(
      output, residual, norm.weight, norm.bias, norm.eps, placement.dropout, context);
}

}  // namespace phraseq::nn
