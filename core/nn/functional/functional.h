#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/nn/context.h"

/// The coarse differentiable functions that every architecture is made of, on packed rows
/// `[tokens, model]`. One autograd node each; on the CPU own kernels (fp32, bf16, fp64), on other
/// devices the same mathematics from ATen's operators. Parameters are given as registered (fp32
/// masters); under bf16 the products read their bf16 copies and activations are bf16, while sums,
/// norms, softmax and gradients of parameters are fp32.
namespace phraseq::nn {

enum class Activation { kNone, kRelu, kGelu, kSwish, kSigmoid };  ///< gelu is the erf form
PHRASEQ_API Activation activation_from(std::string_view name);  ///< "relu" …; UsageError otherwise

/// dropout(activation(x Wᵀ + b)). x [rows, in], weight [out, in], bias [out] or undefined.
PHRASEQ_API at::Tensor linear(const at::Tensor& x,
                              const at::Tensor& weight,
                              const at::Tensor& bias,
                              Context& context,
                              Activation activation = Activation::kNone,
                              double dropout = 0.0);

/// Several maps of one input as one product: [rows, out1 + out2 + …]. No copy is made when the
/// weights lie side by side in the flat buffer (FlatParameters puts matrices in order of
/// registration). `biases` is empty or one a weight.
PHRASEQ_API at::Tensor stacked_linear(const at::Tensor& x,
                                      const std::vector<at::Tensor>& weights,
                                      const std::vector<at::Tensor>& biases,
                                      Context& context);

/// Scaled dot-product attention of all heads over packed rows (Vaswani et al. 2017, eq. 1):
/// per sentence and head softmax(Q Kᵀ · scale) V, attention dropout on the weights.
struct AttentionOptions {
  int64_t heads = 1;
  double scale = 1.0;  ///< usually 1 / sqrt(head_dim)
  double dropout = 0.0;
  bool causal = false;  ///< query i sees keys 0..i of its sentence
};
/// kvq [tokens, 3 · model]: columns K, V, Q. Returns [tokens, model].
PHRASEQ_API at::Tensor self_attention(const at::Tensor& kvq,
                                      const PackedTokens& tokens,
                                      const AttentionOptions& options,
                                      Context& context);
/// q [query tokens, model], kv [key tokens, 2 · model]: columns K, V. A sentence without keys gives
/// zeros. `weights`, when given, receives the weights averaged over heads, [query tokens, max key
/// length], fp32, not differentiable.
PHRASEQ_API at::Tensor cross_attention(const at::Tensor& q,
                                       const at::Tensor& kv,
                                       const PackedTokens& queries,
                                       const PackedTokens& keys,
                                       const AttentionOptions& options,
                                       Context& context,
                                       at::Tensor* weights = nullptr);

/// Layer normalization (Ba et al. 2016): biased variance, eps inside the root. x [rows, model].
PHRASEQ_API at::Tensor layer_norm(const at::Tensor& x,
                                  const at::Tensor& gain,
                                  const at::Tensor& bias,
                                  double eps,
                                  Context& context);
/// LN(residual + dropout(x)): a post-norm sub-layer's end.
PHRASEQ_API at::Tensor dropout_add_norm(const at::Tensor& x,
                                        const at::Tensor& residual,
                                        const at::Tensor& gain,
                                        const at::Tensor& bias,
                                        double eps,
                                        double dropout,
                                        Context& context);
/// residual + dropout(x): a pre-norm sub-layer's end.
PHRASEQ_API at::Tensor dropout_add(const at::Tensor& x,
                                   const at::Tensor& residual,
                                   double dropout,
                                   Context& context);
PHRASEQ_API at::Tensor dropout(const at::Tensor& x, double p, Context& context);

/// dropout(scale · table[ids] + position_table[positions]) in the activation type. table [vocab,
/// model], position_table [max positions, model] (a buffer or a parameter) or undefined. Rows of
/// `padding_id` get no gradient.
PHRASEQ_API at::Tensor embed(const at::Tensor& ids,
                             const at::Tensor& positions,
                             const at::Tensor& table,
                             const at::Tensor& position_table,
                             double scale,
                             double dropout,
                             int64_t padding_id,
                             Context& context);

/// How label smoothing spreads its mass (architectures: three published kernels).
enum class Smoothing {
  kFairseq,        ///< (1-ε)·nll + (ε/V)·Σ_all(-ln p)
  kTensor2Tensor,  ///< cross entropy against q minus q's entropy, q: 1-ε gold, ε/(V-1) elsewhere
  kNeutron,  ///< KL to q: 1-ε gold, ε/(V-F) on all but gold and forbidden; Σ q ln q included
};

struct ProjectedLoss {
  at::Tensor loss;  ///< scalar fp32 (fp64), the sum over rows; differentiable
  double loss_sum = 0;
  double nll_sum = 0;   ///< Σ -ln p(gold)
  int64_t correct = 0;  ///< rows whose gold is the best
};

/// Projection, softmax and (label-smoothed) cross entropy without ever holding all logits: chunks
/// of rows, the gradient made in the same pass when needed. hidden [rows, model], weight [vocab,
/// model], bias [vocab] or undefined, targets [rows]. `excluded` ids are out of the softmax;
/// `unsmoothed` ids get no smoothing mass under kNeutron.
PHRASEQ_API ProjectedLoss projected_cross_entropy(const at::Tensor& hidden,
                                                  const at::Tensor& weight,
                                                  const at::Tensor& bias,
                                                  const at::Tensor& targets,
                                                  double epsilon,
                                                  Smoothing smoothing,
                                                  const std::vector<int64_t>& excluded,
                                                  const std::vector<int64_t>& unsmoothed,
                                                  Context& context);

/// Natural-log probability of each row's target, [rows] fp32 (fp64): scoring without gradients,
/// chunked.
PHRASEQ_API at::Tensor target_log_probabilities(const at::Tensor& hidden,
                                                const at::Tensor& weight,
                                                const at::Tensor& bias,
                                                const at::Tensor& targets,
                                                const std::vector<int64_t>& excluded,
                                                Context& context);

}  // namespace phraseq::nn
