#include "core/plugin/plugin.h"
#include "plugins/architectures/phrasenet/model.h"
#include "plugins/architectures/phrasenet/presets.h"

namespace {

void register_components(phraseq::Registry& registry) {
  using phraseq::phrasenet::PhraseNetModel;
  using phraseq::phrasenet::PhraseNetOptions;
  registry.add<phraseq::Architecture, PhraseNetModel, PhraseNetOptions>(
      "phrasenet",
      "RNNsearch with an external phrase memory (Tang et al. 2016)",
      phraseq::phrasenet::phrasenet_presets());
}

}  // namespace

PHRASEQ_PLUGIN("phrasenet",
               PHRASEQ_VERSION,
               "Translation with an external phrase memory",
               register_components)
