#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// 12,345.
PHRASEQ_API std::string grouped_digits(int64_t value);

/// 12,345; numbers of a million or more that need few decimals are written with a word: 17 million,
/// 1.25 million, 1.774 billion.
PHRASEQ_API std::string english_number(int64_t value);

/// Converts a number from English notation, 1,345.5, to German notation, 1.345,5. Nothing unless it
/// has a group separator or a decimal point, all in the right places.
PHRASEQ_API std::optional<std::string> german_number(std::string_view text);

/// The reverse: 1.345,5 → 1,345.5.
PHRASEQ_API std::optional<std::string> english_from_german_number(std::string_view text);

}  // namespace phraseq
