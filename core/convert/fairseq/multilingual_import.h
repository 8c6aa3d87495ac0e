#pragma once

#include "core/convert/fairseq/fairseq_checkpoint.h"
#include "core/convert/foreign_model.h"
#include "core/convert/imported_model.h"

namespace phraseq {

inline constexpr const char* kMultilingualTask = "translation_multi_simple_epoch";

/// Fills in a model of fairseq's multilingual task: its language pairs, the positions of its
/// language tokens, and the dictionaries with these tokens. `files.data` is the folder of the
/// dictionaries; the languages of `files` are the default direction of translation. Throws a
/// UsageError that lists the settings without a counterpart, and IoError for missing files.
void fill_multilingual(ImportedModel& model,
                       const ForeignModel& files,
                       const FairseqCheckpoint& checkpoint);

}  // namespace phraseq
