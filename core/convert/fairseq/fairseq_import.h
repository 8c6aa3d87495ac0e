#pragma once

#include "core/base/api.h"
#include "core/convert/foreign_model.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// Reads a fairseq Transformer from a `.pt` file, or from safetensors with `options`. Throws
/// FormatError for damaged files and weights that fit neither options nor dictionaries, a
/// UsageError that lists every setting without a counterpart, and IoError if a file is missing.
PHRASEQ_API ImportedModel import_fairseq(const ForeignModel& files);

}  // namespace phraseq
