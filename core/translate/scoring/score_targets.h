#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/data/example.h"
#include "core/translate/translator.h"

namespace phraseq {

/// Computes the natural-log probability of each example's target: a hypothesis with the target's
/// tokens, whose score is the mean per token, in the order of the examples. For several models, the
/// probabilities are averaged.
PHRASEQ_API std::vector<Translation> score_targets(const std::vector<TranslationModel>& models,
                                                   std::vector<Example> examples,
                                                   const TranslationSettings& settings);

}  // namespace phraseq
