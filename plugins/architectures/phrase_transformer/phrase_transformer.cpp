#include "plugins/architectures/phrase_transformer/phrase_transformer.h"

#include "core/options/require_valid.h"
#include "plugins/architectures/phrase_transformer/phrase_attention.h"

namespace phraseq::phrase_transformer {

PhraseAttentionFactory::PhraseAttentionFactory(const PhraseTransformerOptions& options)
    : options_(options) {
  require_valid(options);
}

std::shared_ptr<nn::SelfAttention> PhraseAttentionFactory::encoder_self(
    const nn::TransformerOptions& options, int64_t layer) const {
  if (!options_.phrased(layer) || options_.gram_sizes().empty())
    return AttentionFactory::encoder_self(options, layer);
  if (options_.per_head())
    return std::make_shared<PerHeadPhraseAttention>(options_);
  return std::make_shared<SharedPhraseAttention>(options_);
}

}  // namespace phraseq::phrase_transformer
