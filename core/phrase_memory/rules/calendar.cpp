#include "core/phrase_memory/rules/calendar.h"

#include "core/text/lower_case.h"

namespace phraseq {

int64_t place_in(std::span<const std::string_view> names, std::string_view word) {
  const std::string lower = lower_case(word);
  for (size_t place = 0; place < names.size(); ++place) {
    if (lower == lower_case(names[place]))
      return static_cast<int64_t>(place + 1);
  }
  return 0;
}

}  // namespace phraseq
