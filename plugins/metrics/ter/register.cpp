#include "core/plugin/plugin.h"
#include "core/score/metrics/ter.h"
#include "options.h"

namespace {

using namespace phraseq;  // registration only
using namespace phraseq::ter;

struct TerMetric final : score::Ter {
  TerMetric(const TerOptions& options, const MetricSetup&) : Ter(options.settings) {}
};

void register_components(Registry& registry) {
  registry.add<Metric, TerMetric, TerOptions>("ter", "Translation edit rate, equal to sacrebleu's");
}

}  // namespace

PHRASEQ_PLUGIN("ter", PHRASEQ_VERSION, "Translation edit rate", register_components)
