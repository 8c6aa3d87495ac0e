#include "core/plugin/plugin.h"
#include "plugins/architectures/transformer_lm/model.h"
#include "plugins/architectures/transformer_lm/presets.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Architecture,
               transformer_lm::TransformerLanguageModel,
               transformer_lm::LanguageModelOptions>(
      "transformer_lm",
      "Transformer decoder without an encoder, for language models",
      transformer_lm::language_model_presets());
}

}  // namespace

PHRASEQ_PLUGIN("transformer_lm",
               PHRASEQ_VERSION,
               "The Transformer language model",
               register_components)
