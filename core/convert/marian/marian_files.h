#pragma once

#include "core/base/api.h"
#include "core/convert/foreign_model.h"

namespace phraseq {

/// Replaces a folder by the `.npz` file in it (the one that decoder.yml names, if there are
/// several), and fills in the vocabularies from `MODEL.npz.decoder.yml` or `decoder.yml` next to
/// the model. Throws UsageError if they cannot be found.
PHRASEQ_API ForeignModel find_marian_files(ForeignModel files);

}  // namespace phraseq
