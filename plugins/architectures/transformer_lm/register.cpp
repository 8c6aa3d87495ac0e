#include "core/plugin/plugin.h"
#include "plugins/architectures/transformer_lm/model.h"
#include "plugins/architectures/transformer_lm/presets.h"

namespace {

void register_components(phraseq::Registry& registry) {
  registry
      .add<phraseq::Architecture, phraseq::TransformerLanguageModel, phraseq::LanguageModelOptions>(
          "transformer_lm",
          "Transformer decoder without an encoder, for language models",
          phraseq::language_model_presets());
}

}  // namespace

PHRASEQ_PLUGIN("transformer_lm",
               PHRASEQ_VERSION,
               "The Transformer language model",
               register_components)
