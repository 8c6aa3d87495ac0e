#pragma once

#include <cstdint>
#include <memory>

#include "core/nn/transformer/attention_module.h"
#include "core/nn/transformer/transformer_options.h"

namespace phraseq::nn {

/// Makes the attention modules of a Transformer, layer by layer. This class makes multi-head
/// attention everywhere; a variant overrides the functions for the modules that it changes. Layers
/// are counted from 0; no result may be null.
class PHRASEQ_API AttentionFactory {
 public:
  virtual ~AttentionFactory() = default;
  virtual std::shared_ptr<SelfAttention> encoder_self(const TransformerOptions& options,
                                                      int64_t layer) const;
  virtual std::shared_ptr<SelfAttention> decoder_self(const TransformerOptions& options,
                                                      int64_t layer) const;
  virtual std::shared_ptr<CrossAttention> cross(const TransformerOptions& options,
                                                int64_t layer) const;
};

}  // namespace phraseq::nn
