#include "core/phrase_memory/rules/english_german/english_weekdays.h"

#include <array>
#include <string>
#include <string_view>

#include "core/phrase_memory/rules/calendar.h"
#include "core/phrase_memory/rules/english_german/english_context.h"
#include "core/phrase_memory/rules/english_german/english_dates.h"

namespace phraseq {
namespace {

using Word = std::string_view;

constexpr std::array<Word, 6> kPartsOfDay = {
    "morning", "afternoon", "evening", "night", "nights", "noon"};
// German makes one word of these and the day: Sonntagmittag.
constexpr std::array<Word, 4> kTimesOfDay = {"noon", "midday", "midnight", "overnight"};
// In front of a weekday: Easter Monday is a feast.
constexpr std::array<Word, 18> kFeasts = {"Good",
                                          "Easter",
                                          "Pentecost",
                                          "Whit",
                                          "Palm",
                                          "Ash",
                                          "Holy",
                                          "Maundy",
                                          "Shrove",
                                          "Black",
                                          "Cyber",
                                          "Super",
                                          "Bloody",
                                          "Fat",
                                          "Giving",
                                          "Passion",
                                          "Trinity",
                                          "Low"};

}  // namespace

std::optional<RuleReading> english_weekday_at(const WordContext& words, size_t begin) {
  const int64_t day =
      has_capital(words.at(begin)) ? place_in(kEnglishWeekdays, words.at(begin)) : 0;
  if (day == 0)
    return std::nullopt;
  const Word after = words.at(begin + 1);
  const bool is_dated = english_month(after) > 0;
  const Word before = words.before(begin);
  const bool stands_in_name = (has_capital(after) && !is_dated) || is_one_of(before, kFeasts) ||
                              (begin > 1 && has_capital(before));
  const Word last = after.substr(0, after.find_first_of(",;.!?"));  // "night;"
  const bool is_cut = is_one_of(last, kPartsOfDay) || is_possessive(after) || is_range_mark(after);
  const Word time = before == "on" && begin > 1 ? words.at(begin - 2) : before;
  const bool is_longer = is_cut || is_one_of(time, kTimesOfDay) ||
                         has_noun_behind(words, begin, begin + 1) ||
                         is_mentioned(words, begin, begin + 1);
  return RuleReading{1,
                     std::string(kGermanWeekdays[static_cast<size_t>(day - 1)]),
                     "weekday",
                     !stands_in_name && !is_longer};
}

}  // namespace phraseq
