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

FinalNorm::FinalNorm(torch::nn::Module& owner, bool pre_norm, int64_t width, double eps) {
  if (pre_norm)
    norm_ = owner.register_module("layer_norm", std::make_shared<LayerNorm>(width, eps));
}

at::Tensor FinalNorm::forward(const at::Tensor& x, Context& context) const {
  return norm_ ? norm_->forward(x, context) : x;
}

void FinalNorm::initialize(Initializer& initializer) {
  if (norm_)
    norm_->initialize(initializer);
}

ResidualConnection::ResidualConnection(torch::nn::Module& owner,
                                       const std::string& norm_name,
                                       const ResidualOptions& o)
    : norm_(owner.register_module(norm_name, std::make_shared<LayerNorm>(o.model, o.norm_eps))),
      pre_norm_(o.pre_norm),
      dropout_(o.dropout) {}

at::Tensor ResidualConnection::enter(const at::Tensor& x, Context& context) const {
  return pre_norm_ ? norm_->forward(x, context) : x;
}

at::Tensor ResidualConnection::leave(const at::Tensor& output,
                                     const at::Tensor& x,
                                     Context& context) const {
  if (pre_norm_)
    return dropout_add(output, x, dropout_, context);
  return dropout_add_norm(output, x, norm_->weight, norm_->bias, norm_->eps, dropout_, context);
}

}  // namespace phraseq::nn
