#include "plugins/architectures/phrasenet/gate.h"

#include "core/nn/recurrent/recurrent_product.h"

namespace phraseq::phrasenet {

using nn::recurrent_product;

Gate::Gate(const PhraseNetOptions& o, int64_t slots)
    : Readout(o, o.gate_hidden, slots, /*with_bias=*/true),
      residual_first_(o.gate_residual == GateResidual::kPre),
      first_(*this, "noise1", o),
      hidden_(register_module(
          "hidden",
          std::make_shared<nn::LinearMap>(o.gate_hidden, o.gate_hidden, /*with_bias=*/true))),
      second_(*this, "noise2", o),
      output_(register_module(
          "output", std::make_shared<nn::LinearMap>(o.gate_hidden, 1, /*with_bias=*/true))) {}

at::Tensor Gate::logit(const nn::DecisionState& decision, nn::Context& context) const {
  const at::Tensor a1 =
      first_.forward(Readout::forward(decision, context), context);  // [rows, gate hidden]
  const at::Tensor x = recurrent_product(a1, hidden_->weight, hidden_->bias, context);
  const at::Tensor a2 =
      residual_first_ ? second_.forward(x + a1, context) : second_.forward(x, context) + a1;
  return recurrent_product(a2, output_->weight, output_->bias, context).squeeze(1);  // [rows]
}

void Gate::initialize(nn::RecurrentInitializer& initializer) {
  Readout::initialize(initializer);
  first_.initialize(initializer);
  initializer.orthogonal(hidden_->weight);
  second_.initialize(initializer);
  initializer.matrix(output_->weight);
  initializer.constant(hidden_->bias, 0.0);
  initializer.constant(output_->bias, 0.0);
}

double Gate::multiply_adds(double rows) const {
  return Readout::multiply_adds(rows) +
         rows * static_cast<double>(hidden_->weight.numel() + output_->weight.numel());
}

}  // namespace phraseq::phrasenet
