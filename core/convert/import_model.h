#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/convert/foreign_model.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// Reads a model of any toolkit. Throws what the toolkit's own function throws, and UsageError if
/// the toolkit is not recognized or has no use for one of the files.
PHRASEQ_API ImportedModel import_model(const ForeignModel& model);

/// The files of a model, with those of its folders.
PHRASEQ_API std::vector<std::string> files_of(const ForeignModel& model);

}  // namespace phraseq
