#include "core/plugin/plugin.h"
#include "plugins/architectures/rnnsearch/model.h"
#include "plugins/architectures/rnnsearch/presets.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Architecture, rnnsearch::RnnSearchModel, nn::RecurrentOptions>(
      "rnnsearch",
      "Recurrent encoder and decoder with attention and coverage (Bahdanau et al. 2015, Tu et al. "
      "2016)",
      rnnsearch::rnnsearch_presets());
}

}  // namespace

PHRASEQ_PLUGIN("rnnsearch", PHRASEQ_VERSION, "RNNsearch with coverage", register_components)
