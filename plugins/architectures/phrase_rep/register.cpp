#include "core/plugin/plugin.h"
#include "plugins/architectures/phrase_rep/model.h"
#include "plugins/architectures/phrase_rep/presets.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Architecture, phrase_rep::PhraseRepModel, phrase_rep::PhraseRepOptions>(
      "phrase_rep",
      "Transformer with source phrase representations (Xu et al. 2020)",
      phrase_rep::phrase_rep_presets());
}

}  // namespace

PHRASEQ_PLUGIN("phrase_rep",
               PHRASEQ_VERSION,
               "Source phrase representations and their ablations",
               register_components)
