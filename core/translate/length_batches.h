#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Groups sentences of similar length into batches, the longest first, so that the last batches of
/// several workers are short ones. Returns indices in `lengths`. A batch has at most `max_tokens`
/// tokens (0 = any; a longer sentence is a batch of its own) and `max_sentences` sentences (0 =
/// any). If there are few sentences, they are divided among the workers. Equal lengths keep their
/// order.
PHRASEQ_API std::vector<std::vector<int64_t>> length_batches(const std::vector<int64_t>& lengths,
                                                             int64_t max_tokens,
                                                             int64_t max_sentences,
                                                             int64_t workers = 1);

}  // namespace phraseq
