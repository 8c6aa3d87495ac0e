#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/score/mbr/expected_utility.h"
#include "core/score/metrics/metric.h"
#include "core/translate/post_process.h"
#include "core/translate/translator.h"
#include "core/translate/workers.h"

namespace phraseq {

/// The settings of minimum Bayes risk decoding.
struct MbrRule {
  const Task& task;  ///< converts hypotheses to text; outlives the object, as does the metric
  const Metric& metric;
  score::MbrWeights weights;
  PostProcess remove_bpe;
};

/// Minimum Bayes risk decoding: sorts the hypotheses of each translation by expected utility, the
/// greatest first, and stores the utilities in them. Uses several workers.
PHRASEQ_API void choose_by_mbr(std::vector<Translation>& translations,
                               const MbrRule& rule,
                               const WorkerSettings& workers);

}  // namespace phraseq
