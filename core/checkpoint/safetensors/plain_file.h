#pragma once

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"

namespace phraseq {

/// Whether the metadata describe a model of phraseq: true of its checkpoints, and of what another
/// program made of one without the entries of the format's own.
PHRASEQ_API bool describes_model(const CheckpointFile& file);

/// Throws FormatError when a file without checksums is no model of phraseq, but for instance
/// another toolkit's weights.
PHRASEQ_API void require_model(const CheckpointFile& file);

/// Logs a warning when a file has no checksums.
PHRASEQ_API void warn_without_checksums(const CheckpointFile& file);

}  // namespace phraseq
