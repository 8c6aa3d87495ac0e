#include "core/nn/transformer/attention_factory.h"

#include "core/nn/transformer/multihead_attention.h"

namespace phraseq::nn {

std::shared_ptr<SelfAttention> AttentionFactory::encoder_self(const TransformerOptions& o,
                                                              int64_t /*layer*/) const {
  return std::make_shared<MultiheadSelfAttention>(MultiheadAttentionOptions::encoder_self(o));
}

std::shared_ptr<SelfAttention> AttentionFactory::decoder_self(const TransformerOptions& o,
                                                              int64_t /*layer*/) const {
  return std::make_shared<MultiheadSelfAttention>(MultiheadAttentionOptions::decoder_self(o));
}

std::shared_ptr<CrossAttention> AttentionFactory::cross(const TransformerOptions& o,
                                                        int64_t /*layer*/) const {
  return std::make_shared<MultiheadCrossAttention>(MultiheadAttentionOptions::cross(o));
}

}  // namespace phraseq::nn
