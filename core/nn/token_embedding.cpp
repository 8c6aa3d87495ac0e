#include "core/nn/token_embedding.h"

#include <utility>

#include <ATen/ops/empty.h>

#include "core/nn/functional/embedding.h"
#include "core/nn/functional/normalization.h"
#include "core/text/dictionary.h"

namespace phraseq::nn {

EmbeddingTable::EmbeddingTable(int64_t rows, int64_t width) {
  weight = register_parameter("weight", at::empty({rows, width}));
}

TokenEmbedding::TokenEmbedding(std::shared_ptr<EmbeddingTable> table,
                               std::shared_ptr<EmbeddingTable> learned_positions,
                               std::shared_ptr<LayerNorm> norm,
                               EmbeddingNorm norm_place,
                               TokenEmbeddingOptions options)
    : table_(std::move(table)),
      learned_positions_(std::move(learned_positions)),
      norm_(std::move(norm)),
      norm_place_(norm_place),
      options_(options),
      sinusoids_(sinusoids(options.positions, options.max_positions, table_->weight.size(1))) {}

at::Tensor TokenEmbedding::position_table(const at::Tensor& like) const {
  if (learned_positions_)
    return learned_positions_->weight;
  if (!sinusoids_.defined())
    return {};
  const std::lock_guard lock(cast_mutex_);
  const bool fits = cast_sinusoids_.defined() && cast_sinusoids_.device() == like.device() &&
                    cast_sinusoids_.scalar_type() == like.scalar_type();
  if (!fits)
    cast_sinusoids_ = sinusoids_.to(like.options());
  return cast_sinusoids_;
}

at::Tensor TokenEmbedding::forward(const at::Tensor& ids,
                                   const at::Tensor& positions,
                                   Context& context) const {
  const at::Tensor rows_of_table = learned_positions_ ? positions + (kPad + 1) : positions;
  const bool norm_first = norm_place_ == EmbeddingNorm::kBeforeDropout;
  at::Tensor x = embed(ids,
                       rows_of_table,
                       table_->weight,
                       position_table(table_->weight),
                       {options_.scale, norm_first ? 0.0 : options_.dropout, kPad},
                       context);
  if (norm_place_ == EmbeddingNorm::kNo)
    return x;
  x = norm_->forward(x, context);
  return norm_first ? dropout(x, options_.dropout, context) : x;
}

}  // namespace phraseq::nn
