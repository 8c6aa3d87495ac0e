#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/score/contrastive/contrastive_report.h"
#include "core/score/contrastive/contrastive_set.h"
#include "core/translate/translator.h"

namespace phraseq {

/// The log-probabilities of both translations of each pair. Two translations with the same symbols
/// get the same number. Throws a DataError with file and line for a sentence that a model does not
/// accept.
PHRASEQ_API std::vector<score::PairScores> score_pairs(const std::vector<TranslationModel>& models,
                                                       const score::ContrastiveSet& set,
                                                       const TranslationSettings& settings,
                                                       int64_t buffer_size);

}  // namespace phraseq
