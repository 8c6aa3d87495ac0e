#pragma once

#include <optional>
#include <string>

#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {

/// A number, perhaps with a unit, that begins at some word of a German sentence.
struct GermanNumber {
  size_t length = 0;  ///< words
  std::string english;
  std::string rule;
  bool is_sure = false;  ///< false: what is there is not to be translated, not in parts either
};

/// 1.345,5 → 1,345.5; 3,5 → 3.5; 17 Millionen and 17 Mio. → 17 million, 2,5 Mrd. → 2.5 billion;
/// 24 Stunden → 24 hours. Lists, intervals, addresses, versions and Billionen are not sure.
std::optional<GermanNumber> german_number_at(const WordContext& words, size_t begin);

}  // namespace phraseq
