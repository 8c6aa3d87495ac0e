#pragma once

#include <map>
#include <string>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/data/task.h"

namespace phraseq {

/// Warns if a dictionary of the data differs from that of the checkpoint whose parameters the run
/// begins with, because embeddings belong to ids. `texts` are the texts of the checkpoint's task.
PHRASEQ_API void warn_of_other_dictionaries(const std::map<std::string, std::string>& texts,
                                            const Task& task);

/// Throws DataError if a dictionary of the data differs from that of the checkpoint to resume from.
PHRASEQ_API void require_dictionaries_of(const CheckpointFile& file, const Task& task);

}  // namespace phraseq
