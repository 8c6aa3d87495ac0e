#pragma once

#include <memory>
#include <mutex>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/positions.h"
#include "core/nn/transformer/embedding_norm.h"
#include "core/nn/transformer/residual_norm.h"

namespace phraseq::nn {

/// The settings of the embeddings at the bottom of a stack.
struct TokenEmbeddingOptions {
  double scale = 1.0;  ///< usually sqrt(model)
  double dropout = 0.0;
  PositionKind positions = PositionKind::kFairseq;
  int64_t max_positions = 1024;
};

/// An embedding matrix as a separate module, so that it can be shared: `weight` [vocab, model].
class PHRASEQ_API EmbeddingTable : public torch::nn::Module {
 public:
  EmbeddingTable(int64_t rows, int64_t width);
  at::Tensor weight;
};

/// norm(drop(scale · E[id] + PE[position])): the bottom of an encoder or decoder. Not a module: the
/// owner registers `table`, `learned_positions` and `norm` under its own names.
class PHRASEQ_API TokenEmbedding {
 public:
  TokenEmbedding(std::shared_ptr<EmbeddingTable> table,
                 std::shared_ptr<EmbeddingTable> learned_positions,
                 std::shared_ptr<LayerNorm> norm,
                 EmbeddingNorm norm_place,
                 TokenEmbeddingOptions options);

  /// ids and positions [rows] → [rows, model].
  at::Tensor forward(const at::Tensor& ids, const at::Tensor& positions, Context& context) const;

 private:
  /// [max positions, model], in the type and on the device of `like`; undefined without positions.
  at::Tensor position_table(const at::Tensor& like) const;

  std::shared_ptr<EmbeddingTable> table_;
  std::shared_ptr<EmbeddingTable> learned_positions_;
  std::shared_ptr<LayerNorm> norm_;
  EmbeddingNorm norm_place_;
  TokenEmbeddingOptions options_;
  at::Tensor sinusoids_;           // fp64, [max positions, model]
  mutable std::mutex cast_mutex_;  // several threads may translate with one model
  mutable at::Tensor cast_sinusoids_;
};

}  // namespace phraseq::nn
