#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/initializer.h"
#include "core/nn/kernels/activation.h"

namespace phraseq::nn {

/// y = x Wᵀ + b with `weight` [out, in] and an optional `bias` [out].
class PHRASEQ_API LinearMap : public torch::nn::Module {
 public:
  LinearMap(int64_t in, int64_t out, bool with_bias, MapRole role = MapRole::kFeedForward);

  /// x [rows, in] → [rows, out].
  at::Tensor forward(const at::Tensor& x,
                     Context& context,
                     Activation activation = Activation::kNone,
                     double dropout = 0.0) const;
  void initialize(Initializer& initializer);

  at::Tensor weight;
  at::Tensor bias;  ///< undefined when there is none

 private:
  MapRole role_;
};

}  // namespace phraseq::nn
