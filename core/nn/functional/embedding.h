#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn {

/// dropout(scale · table[ids] + position_table[positions]) in the activation type, [tokens, model].
/// ids and positions [tokens], table [vocab, model], position_table [max positions, model] (a
/// buffer or a parameter) or undefined. Rows of `padding_id` get no gradient.
PHRASEQ_API at::Tensor embed(const at::Tensor& ids,
                             const at::Tensor& positions,
                             const at::Tensor& table,
                             const at::Tensor& position_table,
                             double scale,
                             double dropout,
                             int64_t padding_id,
                             Context& context);

}  // namespace phraseq::nn
