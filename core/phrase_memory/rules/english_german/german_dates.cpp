#include "core/phrase_memory/rules/english_german/german_dates.h"

#include <array>

#include <fmt/format.h>

#include "core/phrase_memory/rules/calendar.h"

namespace phraseq {
namespace {

using Word = std::string_view;

constexpr int64_t kGermanFirstYear = 1000;
constexpr int64_t kGermanLastYear = 2100;
constexpr std::array<Word, 4> kRanges = {"bis", "und", "oder", "–"};

int64_t german_year_of(Word word) {
  const int64_t year = word.size() == 4 ? plain_number(word) : 0;
  return year >= kGermanFirstYear && year < kGermanLastYear ? year : 0;
}

/// The day in front of a month, "1." or "1" ".", and how many words it takes; 0 when there is none.
struct GermanDay {
  int64_t number = 0;
  size_t length = 0;
};

GermanDay day_at(const WordContext& words, size_t begin) {
  Word word = words.at(begin);
  const bool has_point = word.ends_with('.');
  if (has_point)
    word.remove_suffix(1);
  const GermanDay day{plain_number(word, 2), has_point ? size_t{1} : size_t{2}};
  return has_point || words.at(begin + 1) == "." ? day : GermanDay{};
}

/// 3. bis 5. März, 3. - 5. März, 3. und 4. März.
bool german_is_range(const WordContext& words, size_t begin, size_t end) {
  const Word before = words.before(begin);
  const bool has_day_before =
      begin > 1 && (words.at(begin - 2) == "." || day_at(words, begin - 2).length == 1);
  return (is_one_of(before, kRanges) && has_day_before) || is_range_mark(before) ||
         is_range_mark(words.at(end));
}

/// 1 to 12 for a month's full name (Jänner, too); 0 for another word.
int64_t german_month(Word word) {
  if (place_in(std::array<Word, 1>{"Jänner"}, word) > 0)
    return 1;
  return place_in(kGermanMonths, word);
}

std::optional<RuleReading> full_date(const WordContext& words, size_t begin) {
  const GermanDay day = day_at(words, begin);
  const int64_t month = day.number > 0 ? german_month(words.at(begin + day.length)) : 0;
  if (month == 0)
    return std::nullopt;
  RuleReading date{day.length + 1, "", "month and day", false};
  const int64_t year = german_year_of(words.at(begin + date.length));
  if (year > 0) {
    ++date.length;
    date.rule = "date";
  }
  date.is_sure =
      is_day_of_month(day.number, month) && !german_is_range(words, begin, begin + date.length);
  if (date.is_sure)
    date.translation = english_date(day.number, month, year);
  return date;
}

/// März 2003, März. Stands alone, not in a name: August Bebel, Prager Frühling im Mai.
std::optional<RuleReading> german_month_at(const WordContext& words, size_t begin) {
  const int64_t month = german_month(words.at(begin));
  if (month == 0)
    return std::nullopt;
  const int64_t year = german_year_of(words.at(begin + 1));
  RuleReading date{
      year > 0 ? size_t{2} : size_t{1}, "", year > 0 ? "month and year" : "month", false};
  const bool stands_in_name =
      has_capital(words.at(begin + 1)) || (has_capital(words.before(begin)) && begin > 1);
  date.is_sure = year > 0 || (has_capital(words.at(begin)) && !stands_in_name &&
                              !is_range_mark(words.at(begin + 1)));
  date.translation = english_date(0, month, year);
  return date;
}

std::optional<RuleReading> german_weekday_at(const WordContext& words, size_t begin) {
  const int64_t day =
      words.at(begin) == "Sonnabend" ? 6 : place_in(kGermanWeekdays, words.at(begin));
  if (day == 0 || !has_capital(words.at(begin)))
    return std::nullopt;
  const bool german_is_range =
      is_range_mark(words.at(begin + 1)) || is_range_mark(words.before(begin));
  const bool is_night = begin > 1 && words.at(begin - 2) == "Nacht";  // that of the day before
  return RuleReading{1,
                     std::string(kEnglishWeekdays[static_cast<size_t>(day - 1)]),
                     "weekday",
                     !german_is_range && !is_night};
}

/// 8.30 Uhr → 8:30; hours of the afternoon have two English forms.
std::optional<RuleReading> german_time_at(const WordContext& words, size_t begin) {
  const Word time = words.at(begin);
  const size_t mark = time.find_first_of(".:");
  if (words.at(begin + 1) != "Uhr" || plain_number(time.substr(0, mark), 2) == 0)
    return std::nullopt;
  const int64_t hour = plain_number(time.substr(0, mark), 2);
  const Word minutes = mark == Word::npos ? "" : time.substr(mark + 1);
  const bool is_minute = minutes.size() == 2 && plain_number(minutes) > 0 && minutes < "60";
  return RuleReading{2, fmt::format("{}:{}", hour, minutes), "time", is_minute && hour <= 12};
}

}  // namespace

std::optional<RuleReading> german_date_at(const WordContext& words, size_t begin) {
  if (auto time = german_time_at(words, begin))
    return time;
  if (auto date = full_date(words, begin))
    return date;
  if (auto month = german_month_at(words, begin))
    return month;
  return german_weekday_at(words, begin);
}

}  // namespace phraseq
