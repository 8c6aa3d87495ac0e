#pragma once

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"

namespace phraseq {

/// Throws FormatError if a file without checksums is not a model of phraseq but, for instance, the
/// weights of another toolkit.
PHRASEQ_API void require_model(const CheckpointFile& file);

/// Logs a warning when a file has no checksums.
PHRASEQ_API void warn_without_checksums(const CheckpointFile& file);

}  // namespace phraseq
