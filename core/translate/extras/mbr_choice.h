#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/score/mbr/expected_utility.h"
#include "core/translate/translation_text.h"
#include "core/translate/translator.h"

namespace phraseq {

/// How minimum Bayes risk decoding compares hypotheses.
struct MbrRule {
  const Task& task;  ///< makes texts of hypotheses; outlives the object, like the metric
  const Metric& metric;
  score::MbrWeights weights;
  PostProcess remove_bpe;
};

/// Minimum Bayes risk decoding: sorts the hypotheses of each translation by expected utility, the
/// greatest first, and stores it in them. Uses several workers.
PHRASEQ_API void choose_by_mbr(std::vector<Translation>& translations,
                               const MbrRule& rule,
                               const WorkerSettings& workers);

}  // namespace phraseq
