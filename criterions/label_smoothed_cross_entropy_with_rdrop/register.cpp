#include "core/plugin/plugin.h"
#include "rdrop.h"

namespace {

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Criterion, phraseq::RDrop, phraseq::RDropOptions>(
      "label_smoothed_cross_entropy_with_rdrop",
      "Label-smoothed cross entropy with R-Drop (Liang et al. 2021)");
}

}  // namespace

PHRASEQ_PLUGIN("label_smoothed_cross_entropy_with_rdrop",
               PHRASEQ_VERSION,
               "Label-smoothed cross entropy with R-Drop",
               register_components)
