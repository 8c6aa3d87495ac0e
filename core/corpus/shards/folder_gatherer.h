#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Combines data folders that `preprocess --num-shards` wrote: the result is byte for byte what one
/// process would have written. `shards` by index (find_shards). Throws DataError if they are not
/// from the same run or do not have the sentences of their part, UsageError if `destination`
/// already contains a data folder (unless `overwrite`), and FormatError for a damaged one.
PHRASEQ_API void gather_folders(const std::vector<std::string>& shards,
                                const std::string& destination,
                                bool overwrite);

}  // namespace phraseq
