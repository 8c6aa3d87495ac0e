#pragma once

#include <optional>
#include <string_view>

#include "core/phrase_memory/rules/quantities/quantities.h"

namespace phraseq {

/// The value of a word below a hundred, cardinal or ordinal: twenty, third, zwölf.
std::optional<double> small_number(std::string_view word, QuantityLanguage language);

/// The value of a word that multiplies the number before it: thousand, bn, Milliarden.
std::optional<double> number_scale(std::string_view word, QuantityLanguage language);

}  // namespace phraseq
