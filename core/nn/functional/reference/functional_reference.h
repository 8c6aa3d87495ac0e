#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/functional/embedding.h"
#include "core/nn/kernels/activation.h"
#include "core/nn/loss/smoothing.h"

/// The functions of core/nn/functional by means of ATen's differentiable operators, for devices
/// without phraseq's kernels; tests compare the kernels with them. Dropout takes its key instead of
/// a context, and draws the same masks as the kernels.
namespace phraseq::nn::reference {

/// Returns 0 or 1/(1-p) for each element number of `indices` (int64 or int32, mod 2^32), in the
/// shape of `indices`; see core/nn/kernels/random_bits.h.
PHRASEQ_API at::Tensor dropout_factors(const at::Tensor& indices,
                                       uint64_t key,
                                       double p,
                                       at::ScalarType type);

/// Multiplies each element of x, of any shape, by its dropout factor; returns x if p or the key is
/// 0.
PHRASEQ_API at::Tensor dropout(const at::Tensor& x, double p, uint64_t key);

/// Computes dropout(activation(x)), x of any shape.
PHRASEQ_API at::Tensor epilogue(const at::Tensor& x, Activation activation, double p, uint64_t key);

/// Computes (x - mean) / √(variance + eps) · gain + bias of each row (Ba et al. 2016): x [rows,
/// model], gain and bias [model] → [rows, model].
PHRASEQ_API at::Tensor layer_norm(const at::Tensor& x,
                                  const at::Tensor& gain,
                                  const at::Tensor& bias,
                                  double eps);

/// nn::embed, with the result in `type`.
PHRASEQ_API at::Tensor embed(const at::Tensor& ids,
                             const at::Tensor& positions,
                             const at::Tensor& table,
                             const at::Tensor& position_table,
                             const EmbeddingOptions& options,
                             uint64_t key,
                             at::ScalarType type);

/// The id lists of a smoothing rule on a device.
struct PHRASEQ_API LossIds {
  LossIds() = default;
  LossIds(const SmoothingRule& rule, at::Device device);
  at::Tensor unsmoothed, excluded;  ///< [ids] int64
};

/// Sums over a chunk of rows of a projected loss: `sums` [3] fp64, the loss, -ln p(gold), and the
/// number of gold ids with the largest logit; and ln p(gold) [rows].
struct LossRows {
  at::Tensor sums;
  at::Tensor log_p;
};
/// Computes the loss of each row against its smoothed target (smoothing.h). logits [rows, vocab]
/// are replaced by their gradient times `scale` if `with_gradient`. bias [vocab] or undefined,
/// targets [rows]. Not differentiable.
PHRASEQ_API LossRows loss_rows(at::Tensor& logits,
                               const at::Tensor& bias,
                               const at::Tensor& targets,
                               const SmoothingRule& rule,
                               const LossIds& ids,
                               bool with_gradient,
                               double scale = 1.0);

}  // namespace phraseq::nn::reference
