#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/functional/functional.h"
#include "core/nn/loss/smoothing.h"

/// The functions of functional.h from ATen's differentiable operators: what runs on devices without
/// own kernels, and the second opinion of the kernels' tests. Dropout takes its key instead of a
/// context, and draws the same masks as the kernels.
namespace phraseq::nn::reference {

/// 0 or 1/(1-p) for each element: counter-based, see core/nn/kernels/random_bits.h. `indices`
/// int64 or int32 (mod 2^32) of any shape, which the result has.
PHRASEQ_API at::Tensor dropout_factors(const at::Tensor& indices,
                                       uint64_t key,
                                       double p,
                                       at::ScalarType type);

PHRASEQ_API at::Tensor dropout(const at::Tensor& x, double p, uint64_t key);

/// dropout(activation(x)), x of any shape.
PHRASEQ_API at::Tensor epilogue(const at::Tensor& x, Activation activation, double p, uint64_t key);

/// x [rows, in], weight [out, in], bias [out] or undefined → [rows, out]. `weight` and `bias` are
/// cast to x's type, differentiably.
PHRASEQ_API at::Tensor linear(const at::Tensor& x,
                              const at::Tensor& weight,
                              const at::Tensor& bias,
                              Activation activation,
                              double p,
                              uint64_t key);

/// x [rows, model], gain and bias [model] → [rows, model].
PHRASEQ_API at::Tensor layer_norm(const at::Tensor& x,
                                  const at::Tensor& gain,
                                  const at::Tensor& bias,
                                  double eps);

/// q [query tokens, model], k and v [key tokens, model], offsets of the sentences in each.
struct AttentionRows {
  at::Tensor q, k, v;
  const std::vector<int64_t>* query_offsets = nullptr;
  const std::vector<int64_t>* key_offsets = nullptr;
};
/// [query tokens, model]. `weights`, when given, receives the weights averaged over heads, [query
/// tokens, longest key sentence].
PHRASEQ_API at::Tensor attention(const AttentionRows& rows,
                                 const AttentionOptions& options,
                                 uint64_t key,
                                 at::Tensor* weights);

/// ids and positions [tokens], table [vocab, model], position_table [max positions, model] or
/// undefined → [tokens, model].
PHRASEQ_API at::Tensor embed(const at::Tensor& ids,
                             const at::Tensor& positions,
                             const at::Tensor& table,
                             const at::Tensor& position_table,
                             double scale,
                             double p,
                             uint64_t key,
                             int64_t padding_id,
                             at::ScalarType type);

/// The id lists of a smoothing rule on a device.
struct PHRASEQ_API LossIds {
  LossIds() = default;
  LossIds(const SmoothingRule& rule, at::Device device);
  at::Tensor unsmoothed, excluded;  ///< [ids] int64
};

/// Sums over a chunk of rows of a projected loss: `sums` [3] fp64, the loss, -ln p(gold), and how
/// many gold ids are the best; and ln p(gold) [rows].
struct LossRows {
  at::Tensor sums;
  at::Tensor log_p;
};
/// logits [rows, vocab] become their gradient times `scale` when `with_gradient`. bias [vocab] or
/// undefined, targets [rows]. Not differentiable.
PHRASEQ_API LossRows loss_rows(at::Tensor& logits,
                               const at::Tensor& bias,
                               const at::Tensor& targets,
                               const SmoothingRule& rule,
                               const LossIds& ids,
                               bool with_gradient,
                               double scale = 1.0);

}  // namespace phraseq::nn::reference
