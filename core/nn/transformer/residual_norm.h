#pragma once

#include <cstdint>
#include <memory>
#include <string>

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

/// The norm after the last layer of a stack, which only pre-norm stacks have; registered in `owner`
/// as "layer_norm".
class PHRASEQ_API FinalNorm {
 public:
  FinalNorm(torch::nn::Module& owner, bool pre_norm, int64_t width, double eps);
  /// x [rows, model] → [rows, model]; unchanged without the norm.
  at::Tensor forward(const at::Tensor& x, Context& context) const;
  void initialize(Initializer& initializer);

 private:
  std::shared_ptr<LayerNorm> norm_;  ///< null under post-norm
};

/// The sizes and settings of a residual connection.
struct ResidualOptions {
  int64_t model = 0;
  bool pre_norm = false;
  double dropout = 0.0;
  double norm_eps = 1e-5;
};

/// The residual connection around a sub-layer f, with its dropout and norm (Vaswani et al. 2017,
/// sec. 3.1 and 5.4):
///
///     LN(x + drop(f(x))), or x + drop(f(LN(x))) under pre-norm.
///
/// A part of a layer, which registers the norm under `norm_name`.
class PHRASEQ_API ResidualConnection {
 public:
  ResidualConnection(torch::nn::Module& owner,
                     const std::string& norm_name,
                     const ResidualOptions& options);

  /// The result around `sublayer`, a function from [rows, model] to [rows, model]; x [rows, model].
  template <typename Sublayer>
  at::Tensor around(const at::Tensor& x, Context& context, const Sublayer& sublayer) const {
    return leave(sublayer(enter(x, context)), x, context);
  }
  /// What f reads, [rows, model]: normalized under pre-norm, unchanged under post-norm.
  at::Tensor enter(const at::Tensor& x, Context& context) const;
  /// The result for f's output and the residual x, both [rows, model].
  at::Tensor leave(const at::Tensor& output, const at::Tensor& x, Context& context) const;
  void initialize(Initializer& initializer) { norm_->initialize(initializer); }

 private:
  std::shared_ptr<LayerNorm> norm_;
  bool pre_norm_;
  double dropout_;
};

}  // namespace phraseq::nn
