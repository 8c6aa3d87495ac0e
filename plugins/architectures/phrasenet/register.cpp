#include "core/plugin/plugin.h"
#include "plugins/architectures/phrasenet/model.h"
#include "plugins/architectures/phrasenet/presets.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Architecture, phrasenet::PhraseNetModel, phrasenet::PhraseNetOptions>(
      "phrasenet",
      "RNNsearch with an external phrase memory (Tang et al. 2016)",
      phrasenet::phrasenet_presets());
}

}  // namespace

PHRASEQ_PLUGIN("phrasenet",
               PHRASEQ_VERSION,
               "Translation with an external phrase memory",
               register_components)
