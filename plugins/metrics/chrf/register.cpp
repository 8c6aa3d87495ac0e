#include "core/plugin/plugin.h"
#include "options.h"

namespace {

using namespace phraseq;  // registration only
using namespace phraseq::chrf;

struct ChrfMetric final : score::Chrf {
  ChrfMetric(const ChrfOptions& options, const MetricSetup&) : Chrf(options.settings()) {}
};

void plus_plus(ChrfOptions& options) { options.word_order = 2; }

void register_components(Registry& registry) {
  registry.add<Metric, ChrfMetric, ChrfOptions>(
      "chrf", "chrF, equal to sacrebleu's", {preset("chrf++", "chrF++.", &plus_plus)});
}

}  // namespace

PHRASEQ_PLUGIN("chrf", PHRASEQ_VERSION, "chrF and chrF++", register_components)
