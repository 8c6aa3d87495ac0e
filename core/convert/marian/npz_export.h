#pragma once

#include <string>

#include "core/base/api.h"
#include "core/convert/export_model.h"

namespace phraseq {

/// Writes a model for Marian to `folder`, which must be missing or empty: model.npz, the
/// vocabularies (SentencePiece models if their pieces are the symbols, YAML otherwise) and
/// model.npz.decoder.yml. Throws a UsageError that lists what Marian cannot express; nothing is
/// left if it fails.
PHRASEQ_API void export_to_marian_npz(const ExportModel& model, const std::string& folder);

}  // namespace phraseq
