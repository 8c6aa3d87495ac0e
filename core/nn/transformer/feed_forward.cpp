#include "core/nn/transformer/feed_forward.h"

namespace phraseq::nn {

FeedForward::FeedForward(torch::nn::Module& owner, const FeedForwardOptions& feed_forward_options)
    : options(feed_forward_options),
      fc1(std::make_shared<LinearMap>(options.model, options.hidden, options.bias1)),
      fc2(std::make_shared<LinearMap>(options.hidden, options.model, options.bias2)) {
  owner.register_module("fc1", fc1);
  owner.register_module("fc2", fc2);
}

at::Tensor FeedForward::forward(const at::Tensor& x, Context& context) const {
  const at::Tensor hidden =
      fc1->forward(x, context, options.activation, options.activation_dropout);  // [rows, ffn]
  return fc2->forward(hidden, context);
}

void FeedForward::initialize(Initializer& initializer) {
  fc1->initialize(initializer);
  fc2->initialize(initializer);
}

double FeedForward::multiply_adds(double tokens) const {
  return tokens * 2 * static_cast<double>(options.model) * static_cast<double>(options.hidden);
}

}  // namespace phraseq::nn
