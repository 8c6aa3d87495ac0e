#include "core/plugin/plugin.h"
#include "plugins/architectures/phrase_rep/model.h"
#include "plugins/architectures/phrase_rep/presets.h"

namespace {

void register_components(phraseq::Registry& registry) {
  using phraseq::phrase_rep::PhraseRepModel;
  using phraseq::phrase_rep::PhraseRepOptions;
  registry.add<phraseq::Architecture, PhraseRepModel, PhraseRepOptions>(
      "phrase_rep",
      "Transformer with source phrase representations (Xu et al. 2020)",
      phraseq::phrase_rep::phrase_rep_presets());
}

}  // namespace

PHRASEQ_PLUGIN("phrase_rep",
               PHRASEQ_VERSION,
               "Source phrase representations and their ablations",
               register_components)
