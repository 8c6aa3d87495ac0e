#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// The result of Dictionary::finalize for `counted`, which does not change. For dictionaries that
/// are too large to be copied first.
PHRASEQ_API Dictionary finalized(const Dictionary& counted,
                                 int64_t threshold,
                                 int64_t max_symbols,
                                 int64_t padding_factor);

}  // namespace phraseq
