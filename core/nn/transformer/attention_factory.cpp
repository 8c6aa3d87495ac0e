#include "core/nn/transformer/attention_factory.h"

#include "core/nn/transformer/multihead_attention.h"

namespace phraseq::nn {

std::shared_ptr<SelfAttention> AttentionFactory::encoder_self(const TransformerOptions& o,
                                                              int64_t /*layer*/) const {
  return std::make_shared<MultiheadSelfAttention>(
      MultiheadAttentionOptions{o.encoder_embed_dim,
                                o.encoder_embed_dim,
                                o.encoder_attention_heads,
                                o.attention_dropout,
                                o.attn_bias});
}

std::shared_ptr<SelfAttention> AttentionFactory::decoder_self(const TransformerOptions& o,
                                                              int64_t /*layer*/) const {
  return std::make_shared<MultiheadSelfAttention>(
      MultiheadAttentionOptions{o.decoder_embed_dim,
                                o.decoder_embed_dim,
                                o.decoder_attention_heads,
                                o.attention_dropout,
                                o.attn_bias});
}

std::shared_ptr<CrossAttention> AttentionFactory::cross(const TransformerOptions& o,
                                                        int64_t /*layer*/) const {
  return std::make_shared<MultiheadCrossAttention>(
      MultiheadAttentionOptions{o.decoder_embed_dim,
                                o.encoder_embed_dim,
                                o.decoder_attention_heads,
                                o.attention_dropout,
                                o.attn_bias});
}

}  // namespace phraseq::nn
