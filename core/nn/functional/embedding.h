#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn {

/// The settings of an embedding.
struct EmbeddingOptions {
  double scale = 1.0;  ///< of the token embeddings, usually sqrt(model)
  double dropout = 0.0;
  int64_t padding_id = -1;  ///< its row of the table gets no gradient; -1 = none
};

/// dropout(scale · table[ids] + position_table[positions]) in the activation type, [tokens, model].
/// ids and positions [tokens], table [vocab, model], position_table [max positions, model] (a
/// buffer or a parameter) or undefined. On the CPU, throws UsageError for an id or a position that
/// is outside its table.
PHRASEQ_API at::Tensor embed(const at::Tensor& ids,
                             const at::Tensor& positions,
                             const at::Tensor& table,
                             const at::Tensor& position_table,
                             const EmbeddingOptions& options,
                             Context& context);

}  // namespace phraseq::nn
