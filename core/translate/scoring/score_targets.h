#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/data/example.h"
#include "core/translate/translator.h"

namespace phraseq {

/// The natural-log probability of each example's target, as a hypothesis with the target's tokens;
/// its score is the mean a token. In the order of the examples. With several models the mean of
/// their probabilities.
PHRASEQ_API std::vector<Translation> score_targets(const std::vector<TranslationModel>& models,
                                                   std::vector<Example> examples,
                                                   const TranslationSettings& settings);

}  // namespace phraseq
