#include "core/plugin/plugin.h"
#include "options.h"

namespace {

using namespace phraseq;  // registration only
using namespace phraseq::bleu;

struct BleuMetric final : score::Bleu {
  BleuMetric(const BleuOptions& options, const MetricSetup& setup)
      : Bleu(options.settings(setup)) {}
};

void sacrebleu(BleuOptions& /*options*/) {}
void multi_bleu(BleuOptions& options) { options.script = Script::kMultiBleu; }
void mteval_v11b(BleuOptions& options) { options.script = Script::kMtevalV11b; }

void register_components(Registry& registry) {
  registry.add<Metric, BleuMetric, BleuOptions>(
      "bleu",
      "BLEU, equal to sacrebleu's",
      {preset("sacrebleu", "The name of this metric in fairseq.", &sacrebleu),
       preset("multi_bleu",
              "multi-bleu.perl of Moses; only --bleu-lowercase has an effect.",
              &multi_bleu),
       preset("mteval_v11b",
              "mteval-v11b.pl of NIST; only --mteval-preserve-case has an effect.",
              &mteval_v11b)});
}

}  // namespace

PHRASEQ_PLUGIN("bleu", PHRASEQ_VERSION, "BLEU", register_components)
