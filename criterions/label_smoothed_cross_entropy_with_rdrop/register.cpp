#include "core/plugin/plugin.h"
#include "rdrop.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Criterion, RDrop, RDropOptions>(
      "label_smoothed_cross_entropy_with_rdrop",
      "Label-smoothed cross entropy with R-Drop (Liang et al. 2021)");
}

}  // namespace

PHRASEQ_PLUGIN("label_smoothed_cross_entropy_with_rdrop",
               PHRASEQ_VERSION,
               "Label-smoothed cross entropy with R-Drop",
               register_components)
