#pragma once

#include <string>

#include "core/base/api.h"
#include "core/convert/ctranslate2/ct2_variables.h"
#include "core/convert/export_model.h"

namespace phraseq {

/// The variables of a model under the names of CTranslate2's TransformerSpec, revision 7. Throws a
/// UsageError that lists what it cannot express.
PHRASEQ_API Ct2Variables ct2_variables_of(const ExportModel& model);

/// Writes a model of CTranslate2 to `folder`, which must be missing or empty: model.bin,
/// config.json, vocabularies, and the subword models as source.spm and target.spm. Nothing is left
/// if it fails.
PHRASEQ_API void export_to_ctranslate2(const ExportModel& model, const std::string& folder);

}  // namespace phraseq
