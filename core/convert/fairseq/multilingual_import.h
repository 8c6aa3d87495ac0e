#pragma once

#include <string>

#include "core/convert/fairseq/fairseq_checkpoint.h"
#include "core/convert/fairseq/fairseq_import.h"
#include "core/convert/imported_model.h"

namespace phraseq {

inline constexpr const char* kMultilingualTask = "translation_multi_simple_epoch";

/// Fills a model of fairseq's multilingual task in: its language pairs, where its tokens stand, and
/// the dictionaries with these tokens. `files.data` is the folder of the dictionaries; the
/// languages of `files` are the direction that it translates in unless another is chosen. Throws
/// UsageError that lists the settings without a counterpart, IoError for files that are missing.
void fill_multilingual(ImportedModel& model,
                       const FairseqFiles& files,
                       const FairseqCheckpoint& checkpoint);

}  // namespace phraseq
