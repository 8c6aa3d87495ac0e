#include "core/nn/functional/attention.h"

#include <ATen/ops/mean.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/nn/functional/grouped_attention.h"

namespace phraseq::nn {
namespace {

void check_attention_shapes(const at::Tensor& q,
                            const at::Tensor& kv,
                            int64_t parts,
                            const PackedTokens& queries,
                            const PackedTokens& keys,
                            const AttentionOptions& options) {
  const bool fits = q.dim() == 2 && kv.dim() == 2 && q.size(0) == queries.tokens() &&
                    kv.size(0) == keys.tokens() && queries.sentences() == keys.sentences() &&
                    kv.size(1) == parts * (parts == 3 ? q.size(1) / 3 : q.size(1)) &&
                    options.heads > 0 && q.size(1) % (options.heads * (parts == 3 ? 3 : 1)) == 0;
  if (fits)
    return;
  throw UsageError(
      fmt::format("attention: queries {} and keys {} do not match {} heads over {} and {} tokens",
                  q.sizes(),
                  kv.sizes(),
                  options.heads,
                  queries.tokens(),
                  keys.tokens()),
      "Expected one row per token, the same number of sentences on both sides, and a width "
      "divisible by the number of heads.");
}

}  // namespace

at::Tensor self_attention(const at::Tensor& kvq,
                          const PackedTokens& tokens,
                          const AttentionOptions& options,
                          Context& context) {
  check_attention_shapes(kvq, kvq, 3, tokens, tokens, options);
  const int64_t model = kvq.size(1) / 3;
  return grouped_attention(kvq,
                           kvq,
                           {tokens.offsets, tokens.offsets},
                           plain_layout(model, options.heads, options.scale, 2 * model),
                           options.causal,
                           options.dropout,
                           context);
}

at::Tensor cross_attention(const at::Tensor& q,
                           const at::Tensor& kv,
                           const PackedTokens& queries,
                           const PackedTokens& keys,
                           const AttentionOptions& options,
                           Context& context,
                           at::Tensor* weights) {
  check_attention_shapes(q, kv, 2, queries, keys, options);
  at::Tensor all_weights;  // [1, heads, query tokens, 1, longest]
  const at::Tensor out = grouped_attention(q,
                                           kv,
                                           {queries.offsets, keys.offsets},
                                           plain_layout(q.size(1), options.heads, options.scale, 0),
                                           options.causal,
                                           options.dropout,
                                           context,
                                           weights ? &all_weights : nullptr);
  if (weights)
    *weights = all_weights.mean({0, 1, 3});  // [query tokens, longest]
  return out;
}

}  // namespace phraseq::nn
