#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// The first `most` items of a list for a message, with `separator` between them, and, as the last
/// item, how many more there are: "a, b, and 3 more".
PHRASEQ_API std::string first_items(std::span<const std::string> items,
                                    size_t most,
                                    std::string_view separator);

}  // namespace phraseq
