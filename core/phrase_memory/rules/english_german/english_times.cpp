#include "core/phrase_memory/rules/english_german/english_times.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/phrase_memory/rules/english_german/english_context.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

using Word = std::string_view;

/// am or pm: 0 or 12 hours; nothing for another word.
std::optional<int64_t> half_of_day(Word word) {
  const std::string lower = to_lowercase(word);
  if (lower == "am" || lower == "a.m." || lower == "a.m")
    return 0;
  return lower == "pm" || lower == "p.m." || lower == "p.m" ? std::optional<int64_t>(12)
                                                            : std::nullopt;
}

}  // namespace

std::optional<RuleReading> english_time_at(const WordContext& words, size_t begin) {
  const auto half = half_of_day(words.at(begin + 1));
  const Word time = words.at(begin);
  const size_t mark = time.find_first_of(".:");
  const int64_t hour = plain_number(time.substr(0, mark), 2);
  if (!half || hour == 0)
    return std::nullopt;
  const Word minutes = mark == Word::npos ? "" : time.substr(mark + 1);
  const bool is_minute =
      minutes.size() == 2 && minutes < "60" && (plain_number(minutes) > 0 || minutes == "00");
  RuleReading found{2, "", "time", false};
  const bool is_part = is_range_mark(words.before(begin)) || words.before(begin).ends_with(':');
  found.is_sure = hour < 12 && (mark == Word::npos || is_minute) && !is_part &&
                  !has_noun_behind(words, begin, begin + 2);
  found.translation =
      fmt::format("{}{} Uhr", hour + *half, mark == Word::npos ? Word() : time.substr(mark));
  return found;
}

}  // namespace phraseq
