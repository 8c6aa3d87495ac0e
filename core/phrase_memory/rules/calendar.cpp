#include "core/phrase_memory/rules/calendar.h"

#include <fmt/format.h>

#include "core/text/unicode.h"

namespace phraseq {

int64_t place_in(std::span<const std::string_view> names, std::string_view word) {
  const std::string lower = to_lowercase(word);
  for (size_t place = 0; place < names.size(); ++place) {
    if (lower == to_lowercase(names[place]))
      return static_cast<int64_t>(place + 1);
  }
  return 0;
}

std::string english_date(int64_t day, int64_t month, int64_t year) {
  std::string text(kEnglishMonths[static_cast<size_t>(month - 1)]);
  if (day > 0)
    text += fmt::format(" {}", day);
  if (year > 0)
    text += fmt::format("{} {}", day > 0 ? " ," : "", year);
  return text;
}

}  // namespace phraseq
