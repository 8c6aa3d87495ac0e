#pragma once

#include <memory>

#include "core/nn/transformer/attention_factory.h"
#include "core/nn/transformer/transformer_model.h"
#include "plugins/architectures/phrase_transformer/options.h"

namespace phraseq::phrase_transformer {

/// Phrase attention in the encoder's phrase layers, multi-head attention everywhere else.
class PhraseAttentionFactory final : public nn::AttentionFactory {
 public:
  /// Throws a UsageError with the first of the options' problems.
  explicit PhraseAttentionFactory(const PhraseTransformerOptions& options);
  std::shared_ptr<nn::SelfAttention> encoder_self(const nn::TransformerOptions& options,
                                                  int64_t layer) const override;

 private:
  PhraseTransformerOptions options_;
};

/// PhraseTransformer (Nguyen & Nguyen 2022). Without gram sizes, it is the Transformer.
class PhraseTransformer final : public nn::TransformerModel {
 public:
  PhraseTransformer(const PhraseTransformerOptions& options, const ArchitectureSetup& setup)
      : TransformerModel(options, setup, PhraseAttentionFactory(options)) {}
};

}  // namespace phraseq::phrase_transformer
