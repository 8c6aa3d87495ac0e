#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Passes the lines of shards of text to `write` in the order of the sentences, as one process
/// would have written them; returns the number of sentences. Throws DataError if the shards are not
/// from the same run, or if a sentence has too few or too many lines; the message names the file
/// and the sentence. `files` are the shards by index (find_shards).
PHRASEQ_API int64_t gather_text(const std::vector<std::string>& files,
                                const std::function<void(std::string_view)>& write);

}  // namespace phraseq
