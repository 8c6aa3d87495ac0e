#include "core/plugin/plugin.h"
#include "plugins/architectures/phrase_transformer/phrase_transformer.h"
#include "plugins/architectures/phrase_transformer/presets.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Architecture,
               phrase_transformer::PhraseTransformer,
               phrase_transformer::PhraseTransformerOptions>(
      "phrase_transformer",
      "Transformer with n-gram LSTMs in the encoder's self-attention (Nguyen & Nguyen 2022)",
      phrase_transformer::phrase_transformer_presets());
}

}  // namespace

PHRASEQ_PLUGIN("phrase_transformer",
               PHRASEQ_VERSION,
               "PhraseTransformer: self-attention over n-grams",
               register_components)
