#include "core/nn/functional/attention_weights.h"

#include <limits>

#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include "core/nn/functional/sum_type.h"

namespace phraseq::nn {
namespace {

/// A sentence's rows by head: rows [tokens of all sentences, model] → [heads, tokens, head_dim] in
/// fp32 (fp64).
at::Tensor heads_of(const at::Tensor& rows, const PackedTokens& tokens, int64_t i, int64_t heads) {
  const at::Tensor own = rows.narrow(0, tokens.offsets[i], tokens.length(i));  // [tokens, model]
  const auto type = sum_type(rows);
  return own.to(type).view({own.size(0), heads, -1}).transpose(0, 1);  // [heads, tokens, head_dim]
}

}  // namespace

at::Tensor attention_weights(const at::Tensor& q,
                             const at::Tensor& k,
                             const PackedTokens& queries,
                             const PackedTokens& keys,
                             const AttentionOptions& options) {
  const c10::NoGradGuard no_grad;
  const auto type = sum_type(q);
  const at::Tensor weights = at::zeros({1, options.heads, queries.tokens(), 1, keys.max_length()},
                                       q.options().dtype(type));
  for (int64_t i = 0; i < queries.sentences(); ++i) {
    const int64_t key_count = keys.length(i);
    if (key_count == 0 || queries.length(i) == 0)
      continue;
    at::Tensor scores = at::matmul(heads_of(q, queries, i, options.heads),
                                   heads_of(k, keys, i, options.heads).transpose(1, 2)) *
                        options.scale;  // [heads, tgt_time, src_time]
    if (options.causal) {
      const at::Tensor later =
          at::ones({queries.length(i), key_count}, scores.options().dtype(at::kBool))
              .triu(1);  // [tgt_time, src_time]
      scores = scores.masked_fill(later, -std::numeric_limits<double>::infinity());
    }
    weights[0]                                             // [heads, tokens, 1, longest]
        .narrow(1, queries.offsets[i], queries.length(i))  // [heads, tgt_time, 1, longest]
        .select(2, 0)                                      // [heads, tgt_time, longest]
        .narrow(2, 0, key_count)                           // [heads, tgt_time, src_time]
        .copy_(at::softmax(scores, -1));
  }
  return weights;
}

}  // namespace phraseq::nn
