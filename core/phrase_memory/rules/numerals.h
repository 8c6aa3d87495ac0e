#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// 12,345.
PHRASEQ_API std::string grouped_digits(int64_t value);

/// 12,345; from a million on in words when few digits follow the point: 17 million, 1.25 million,
/// 1.774 billion.
PHRASEQ_API std::string english_number(int64_t value);

/// A number in English notation, 1,345.5, in German notation, 1.345,5. Nothing unless it has a
/// group mark or a decimal point, all in their places.
PHRASEQ_API std::optional<std::string> german_number(std::string_view text);

/// The other way: 1.345,5 → 1,345.5.
PHRASEQ_API std::optional<std::string> english_from_german_number(std::string_view text);

}  // namespace phraseq
