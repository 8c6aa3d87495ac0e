#include "alignment_loss.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Criterion, AlignmentLoss, AlignmentLossOptions>(
      "label_smoothed_cross_entropy_with_alignment",
      "Label-smoothed cross entropy with supervised alignments (Garg et al. 2019)");
}

}  // namespace

PHRASEQ_PLUGIN("label_smoothed_cross_entropy_with_alignment",
               PHRASEQ_VERSION,
               "Label-smoothed cross entropy and the cross entropy of alignments",
               register_components)
