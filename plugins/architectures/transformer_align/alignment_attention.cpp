#include "plugins/architectures/transformer_align/alignment_attention.h"

#include <limits>

#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include "core/nn/functional/sum_type.h"

namespace phraseq::transformer_align {
namespace {

/// The first `heads` heads of rows [tokens, model], padded: [batch, heads, time, head_dim] in fp32
/// (fp64).
at::Tensor padded_heads(const at::Tensor& rows,
                        const PackedTokens& tokens,
                        int64_t heads,
                        int64_t head_dim) {
  const auto type = nn::sum_type(rows);
  return tokens
      .pad_rows(rows.narrow(1, 0, heads * head_dim).to(type))  // [batch, time, heads · head_dim]
      .unflatten(2, {heads, head_dim})
      .transpose(1, 2);
}

}  // namespace

AlignmentAttention::AlignmentAttention(const nn::MultiheadAttentionOptions& options,
                                       int64_t alignment_heads)
    : MultiheadCrossAttention(options), alignment_heads_(alignment_heads) {}

at::Tensor AlignmentAttention::forward(const at::Tensor& x,
                                       const PackedTokens& queries,
                                       const at::Tensor& memory,
                                       const PackedTokens& keys,
                                       nn::Context& context,
                                       at::Tensor* weights) const {
  const Projected projected = project(x, memory, context);
  if (weights != nullptr) {
    const at::Tensor k = projected.kv.narrow(1, 0, maps().options.model);  // [key tokens, model]
    *weights = mean_weights(projected.q, k, queries, keys);
  }
  return attend(projected, queries, keys, context);
}

at::Tensor AlignmentAttention::mean_weights(const at::Tensor& q,
                                            const at::Tensor& k,
                                            const PackedTokens& queries,
                                            const PackedTokens& keys) const {
  const int64_t head_dim = maps().options.model / maps().options.heads;
  at::Tensor scores = at::matmul(padded_heads(q, queries, alignment_heads_, head_dim),
                                 padded_heads(k, keys, alignment_heads_, head_dim).mT()) *
                      maps().scale();  // [batch, heads, tgt_time, src_time]
  const at::Tensor padding = keys.mask().logical_not().unsqueeze(1).unsqueeze(1);
  scores = scores.masked_fill(padding, -std::numeric_limits<double>::infinity());
  return queries.unpad_rows(at::softmax(scores, -1).mean(1));  // [query tokens, src_time]
}

AlignmentFactory::AlignmentFactory(const TransformerAlignOptions& options)
    : layer_(options.decoder_drop.kept(options.decoder_layers)
                 .at(static_cast<size_t>(options.alignment_layer))),
      heads_(options.alignment_heads) {}

std::shared_ptr<nn::CrossAttention> AlignmentFactory::cross(const nn::TransformerOptions& o,
                                                            int64_t layer) const {
  if (layer != layer_)
    return AttentionFactory::cross(o, layer);
  return std::make_shared<AlignmentAttention>(nn::MultiheadAttentionOptions::cross(o), heads_);
}

}  // namespace phraseq::transformer_align
