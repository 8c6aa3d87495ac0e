#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// A count and its noun, for messages: "1 thread", "3 threads", "2 batches", "0 entries". The noun
/// is in the singular and regular.
PHRASEQ_API std::string counted(int64_t count, std::string_view noun);

}  // namespace phraseq
