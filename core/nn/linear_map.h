#pragma once

#include <memory>

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

  /// dropout(activation(x Wᵀ + b)), x [rows, in] → [rows, out].
  at::Tensor forward(const at::Tensor& x,
                     Context& context,
                     Activation activation = Activation::kNone,
                     double dropout = 0.0) const;
  void initialize(Initializer& initializer);

  at::Tensor weight;
  at::Tensor bias;  ///< undefined if there is none

 private:
  MapRole role_;
};

/// The number of elements of a map's weight, which equals its multiply-adds per row; 0 if there is
/// no map.
inline double weight_count(const std::shared_ptr<LinearMap>& map) {
  return map ? static_cast<double>(map->weight.numel()) : 0.0;
}

}  // namespace phraseq::nn
