#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/data/data_loader.h"
#include "core/run/training/train_run.h"
#include "core/text/dictionary.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// Warns if the dictionary has more types than the training text can teach.
PHRASEQ_API void warn_of_vocabulary(const Dictionary& dictionary, const Corpus& training);

/// Warns if pairs of the validation split `split` are also in the training set.
PHRASEQ_API void warn_of_overlap(const Corpus& training,
                                 const Corpus& validation,
                                 const std::string& split);

/// Number of pairs of `some` that are also in `others`, with both sides equal.
PHRASEQ_API int64_t common_pairs(const Corpus& some, const Corpus& others);

/// Warns of a dictionary that is too large for the data, of validation pairs that are also training
/// data, and of phrases without a use.
void warn_of_data(const TrainRun& run,
                  const TranslationModel& translation_model,
                  const Corpus& training);

}  // namespace phraseq
