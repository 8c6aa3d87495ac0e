#pragma once

#include "core/base/api.h"
#include "core/convert/foreign_model.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// Reads a Transformer from the folder of a CTranslate2 model with floating-point weights:
/// model.bin, config.json, the vocabularies, and the given subword model, or source.spm
/// and target.spm if they are there.
///
/// A start symbol that the model cannot produce, and padding, are added if its vocabulary lacks
/// them. Throws FormatError, UsageError and IoError as import_fairseq does; every variable that is
/// not understood is named.
PHRASEQ_API ImportedModel import_ctranslate2(const ForeignModel& files);

}  // namespace phraseq
