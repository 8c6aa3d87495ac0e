#pragma once

#include "core/analysis/recorded.h"
#include "core/base/api.h"
#include "core/data/example.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// One teacher-forced pass over one sentence pair with everything that the model's modules record.
/// Sentences go alone, so that each recorded tensor is the sentence's own. DataError when the model
/// does not take so long a pair.
PHRASEQ_API analysis::RecordedSentence recorded_pass(const TranslationModel& translator,
                                                     const Example& example,
                                                     nn::Precision precision);

}  // namespace phraseq
