#pragma once

#include "core/analysis/recorded.h"
#include "core/base/api.h"
#include "core/data/example.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// One teacher-forced pass over one sentence pair with everything that the model's modules record.
/// The batch has no other sentence, so each recorded tensor belongs to this one. Throws DataError
/// if the pair is too long for the model.
PHRASEQ_API analysis::RecordedSentence recorded_pass(const TranslationModel& translation_model,
                                                     const Example& example,
                                                     nn::Precision precision);

}  // namespace phraseq
