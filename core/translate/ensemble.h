#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// Collates examples to one batch on the models' device, with the first model's task, and adds the
/// extras that every model of the ensemble needs. Throws UsageError if two models need the same
/// extra with different values, different sources, or different start tokens.
PHRASEQ_API Batch collate_for(const std::vector<TranslationModel>& models,
                              const std::vector<Example>& examples);

/// Throws UsageError if two models of an ensemble have different dictionaries.
PHRASEQ_API void require_same_dictionaries(const TranslationModel& first,
                                           const TranslationModel& other);

/// The maximum number of target tokens, including </s>, that all of the models accept.
PHRASEQ_API int64_t max_target_positions(const std::vector<TranslationModel>& models);

}  // namespace phraseq
