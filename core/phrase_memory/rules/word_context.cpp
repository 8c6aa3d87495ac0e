#include "core/phrase_memory/rules/word_context.h"

#include <algorithm>
#include <array>

#include "core/base/text_fields.h"

namespace phraseq {

int64_t plain_number(std::string_view text, size_t most) {
  if (text.empty() || text.size() > most)
    return 0;
  int64_t value = 0;
  for (const char one : text) {
    if (one < '0' || one > '9')
      return 0;
    value = value * 10 + (one - '0');
  }
  return value;
}

bool has_capital(std::string_view word) { return !word.empty() && is_ascii_upper(word.front()); }

bool is_small_word(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), is_ascii_lower);
}

bool is_range_mark(std::string_view word) {
  constexpr std::array<std::string_view, 5> kMarks = {"-", "–", "—", "/", "‐"};
  return is_one_of(word, kMarks);
}

}  // namespace phraseq
