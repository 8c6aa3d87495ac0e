#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/initializer.h"

namespace phraseq::nn {

/// Layer normalization's parameters: `weight` (gain) and `bias`, [model].
class PHRASEQ_API LayerNorm : public torch::nn::Module {
 public:
  LayerNorm(int64_t width, double eps);
  /// x [rows, model] → [rows, model].
  at::Tensor forward(const at::Tensor& x, Context& context) const;
  void initialize(Initializer& initializer);

  at::Tensor weight;
  at::Tensor bias;
  double eps;
};

/// The norm after the last layer of a stack, which only pre-norm stacks have, registered in `owner`
/// as "layer_norm"; null if not `pre_norm`.
PHRASEQ_API std::shared_ptr<LayerNorm> register_final_norm(torch::nn::Module& owner,
                                                           bool pre_norm,
                                                           int64_t width,
                                                           double eps);

/// The residual connection of a sub-layer f: the position of its norm, and its dropout.
struct NormPlacement {
  bool pre_norm = false;  ///< x + drop(f(LN(x))); otherwise post-norm: LN(x + drop(f(x)))
  double dropout = 0.0;
};

/// The input that a sub-layer reads, [rows, model]: normalized under pre-norm, unchanged under
/// post-norm.
PHRASEQ_API at::Tensor enter_sublayer(const LayerNorm& norm,
                                      const NormPlacement& placement,
                                      const at::Tensor& x,
                                      Context& context);
/// The end of a sub-layer: dropout, residual and, under post-norm, the norm. Output and residual
/// [rows, model].
PHRASEQ_API at::Tensor leave_sublayer(const LayerNorm& norm,
                                      const NormPlacement& placement,
                                      const at::Tensor& output,
                                      const at::Tensor& residual,
                                      Context& context);

}  // namespace phraseq::nn
