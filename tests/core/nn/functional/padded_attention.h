#pragma once

#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "core/nn/functional/attention.h"
#include "core/nn/functional/reference/functional_reference.h"
#include "core/nn/padded_layout.h"

// Multi-head attention from ATen's operators on padded sentences, with which tests and benchmarks
// compare the kernels. It shares no code with the library's grouped attention.
namespace phraseq::testing {

/// q [query tokens, model], k and v [key tokens, model], and the offsets at which their sentences
/// begin.
struct AttentionRows {
  at::Tensor q, k, v;
  const std::vector<int64_t>& query_offsets;
  const std::vector<int64_t>& key_offsets;
};

/// [tokens, model] → [batch, heads, time, head_dim].
inline at::Tensor split_heads(const nn::reference::PaddedLayout& layout,
                              const at::Tensor& rows,
                              int64_t heads) {
  return layout
      .pad(rows)                                                       // [batch, time, model]
      .view({layout.batch, layout.time, heads, rows.size(1) / heads})  // [batch, time, heads, …]
      .transpose(1, 2);  // [batch, heads, time, head_dim]
}

/// [batch, heads, time, head_dim] → [tokens, model].
inline at::Tensor join_heads(const nn::reference::PaddedLayout& layout, const at::Tensor& heads) {
  return layout.pack(heads.transpose(1, 2).flatten(2, 3));
}

/// Which keys are hidden from each query, [batch, 1, tgt_time, src_time].
inline at::Tensor hidden_keys(const nn::reference::PaddedLayout& queries,
                              const nn::reference::PaddedLayout& keys,
                              bool causal) {
  at::Tensor visible = keys.mask.view({keys.batch, 1, 1, keys.time});  // [batch, 1, 1, src_time]
  if (causal)
    visible =  // [batch, 1, tgt_time, src_time]
        at::logical_and(visible, at::ones({queries.time, keys.time}, visible.options()).tril());
  return visible.logical_not().expand(
      {keys.batch, 1, queries.time, keys.time});  // [batch, 1, tgt_time, src_time]
}

/// Computes softmax(Q Kᵀ · scale) V of each sentence and head (Vaswani et al. 2017, eq. 1), with
/// the masks that the kernels draw for `key`: [query tokens, model].
inline at::Tensor padded_attention(const AttentionRows& rows,
                                   const nn::AttentionOptions& options,
                                   uint64_t key) {
  const nn::reference::PaddedLayout queries(rows.query_offsets, rows.q.device());
  const nn::reference::PaddedLayout keys(rows.key_offsets, rows.q.device());
  const auto wide = rows.q.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor q = split_heads(queries, rows.q, options.heads).to(wide);
  const at::Tensor k = split_heads(keys, rows.k, options.heads).to(wide);
  const at::Tensor v = split_heads(keys, rows.v, options.heads).to(wide);
  const at::Tensor hidden = hidden_keys(queries, keys, options.causal);
  const at::Tensor scores =
      at::matmul(q, k.transpose(2, 3)) * options.scale;  // [batch, heads, tgt_time, src_time]
  at::Tensor shares =                                    // [batch, heads, tgt_time, src_time]
      at::softmax(scores.masked_fill(hidden, nn::reference::kMaskedScore), -1)
          .masked_fill(hidden, 0.0);
  if (options.dropout > 0.0 && key != 0) {
    const at::Tensor columns = at::arange(keys.time, queries.place.options());  // [src_time]
    const at::Tensor elements = nn::reference::attention_elements(
        queries, options.heads, 0, options.heads, columns);  // [batch, heads, tgt_time, src_time]
    shares = shares * nn::reference::dropout_factors(elements, key, options.dropout, wide);
  }
  return join_heads(queries, at::matmul(shares, v)).to(rows.q.scalar_type());
}

}  // namespace phraseq::testing
