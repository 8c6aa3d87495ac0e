#pragma once

#include <memory>

#include "core/nn/linear_map.h"

namespace phraseq::nn {

/// The sizes and settings of one feed-forward sub-layer.
struct FeedForwardOptions {
  int64_t model = 0;
  int64_t hidden = 0;
  bool bias1 = true;
  bool bias2 = true;
  Activation activation = Activation::kRelu;
  double activation_dropout = 0.0;
};

/// W2 drop(activation(W1 x + b1)) + b2 (Vaswani et al. 2017, eq. 2). A part of a layer, which
/// registers `fc1` and `fc2` under its own name as fairseq does.
struct PHRASEQ_API FeedForward {
  FeedForward(torch::nn::Module& owner, const FeedForwardOptions& options);
  /// x [rows, model] → [rows, model].
  at::Tensor forward(const at::Tensor& x, Context& context) const;
  void initialize(Initializer& initializer);
  double multiply_adds(double tokens) const;

  FeedForwardOptions options;
  std::shared_ptr<LinearMap> fc1;
  std::shared_ptr<LinearMap> fc2;
};

}  // namespace phraseq::nn
