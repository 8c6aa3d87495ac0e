#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// Full Unicode lowercasing in the root locale (valid UTF-8 in and out): 'İ' becomes two
/// characters, 'Σ' at a word's end 'ς'. The same whatever LC_ALL says.
PHRASEQ_API std::string lower_case(std::string_view text);

}  // namespace phraseq
