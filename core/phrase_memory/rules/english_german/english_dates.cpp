#include "core/phrase_memory/rules/english_german/english_dates.h"

#include <array>

#include <fmt/format.h>

#include "core/phrase_memory/rules/calendar.h"
#include "core/phrase_memory/rules/english_german/english_context.h"
#include "core/phrase_memory/rules/english_german/english_times.h"
#include "core/phrase_memory/rules/english_german/english_weekdays.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

using Word = std::string_view;

constexpr int64_t kEnglishFirstYear = 1000;
constexpr int64_t kEnglishLastYear = 2100;
constexpr std::array<Word, 13> kShortMonths = {"Jan.",
                                               "Feb.",
                                               "Mar.",
                                               "Apr.",
                                               "Jun.",
                                               "Jul.",
                                               "Aug.",
                                               "Sep.",
                                               "Sept.",
                                               "Sept",
                                               "Oct.",
                                               "Nov.",
                                               "Dec."};
constexpr std::array<int64_t, 13> kShortMonthNumbers = {1, 2, 3, 4, 6, 7, 8, 9, 9, 9, 10, 11, 12};
// In front of a date; in front of a month alone.
constexpr std::array<Word, 12> kBeforeDate = {
    "on", "by", "until", "till", "since", "before", "after", "from", "of", "between", "for", ","};
constexpr std::array<Word, 11> kBeforeMonth = {
    "in", "since", "until", "till", "during", "last", "next", "early", "late", "mid", "through"};
constexpr std::array<Word, 5> kGoesOnWithDay = {"and", "or", "to", "through", ","};

int64_t english_year_of(Word word) {
  const int64_t year = word.size() == 4 ? plain_number(word) : 0;
  return year >= kEnglishFirstYear && year < kEnglishLastYear ? year : 0;
}

struct EnglishDay {
  int64_t number = 0;  ///< 0: none
  bool is_ordinal = false;
};

/// 1, 1st … 31st.
EnglishDay day_of(Word word) {
  for (const Word ending : {"st", "nd", "rd", "th"}) {
    if (word.ends_with(ending) && word.size() > 2)
      return {plain_number(word.substr(0, word.size() - 2), 2), true};
  }
  return {plain_number(word, 2), false};
}

/// A month's name in full or, with a day, cut short.
int64_t month_beside_day(Word word) {
  for (size_t i = 0; i < kShortMonths.size(); ++i) {
    if (word == kShortMonths[i])
      return kShortMonthNumbers[i];
  }
  return english_month(word);
}

bool is_also_word(int64_t month) { return month == 3 || month == 5; }

struct DateParts {
  size_t length = 0;  ///< 0: there is no date
  int64_t year = 0;
  int64_t month = 0;
  EnglishDay day;
  bool has_capital = false;
};

/// A year after a day or a month, with a comma or "of" between them or none.
void take_year(const WordContext& words, size_t begin, DateParts& date) {
  const size_t at = begin + date.length;
  const Word mark = words.at(at);
  const bool has_mark = mark == "," || (mark == "of" && date.day.number == 0);
  date.year = english_year_of(words.at(has_mark ? at + 1 : at));
  if (date.year > 0)
    date.length += has_mark ? 2 : 1;
}

/// March 1, March the 1st, March 1st , 2003, "March" "1," "2003".
DateParts month_first(const WordContext& words, size_t begin) {
  DateParts date;
  date.month = month_beside_day(words.at(begin));
  date.has_capital = has_capital(words.at(begin));
  const size_t at = begin + (words.at(begin + 1) == "the" ? 2 : 1);
  Word day = words.at(at);
  const bool has_comma = day.ends_with(',') && english_year_of(words.at(at + 1)) > 0;
  if (has_comma)
    day.remove_suffix(1);
  date.day = day_of(day);
  const bool is_day = date.day.number > 0 && (at == begin + 1 || date.day.is_ordinal);
  if (date.month == 0 || !is_day)
    return {};
  date.length = at + 1 - begin;
  take_year(words, begin, date);
  return date;
}

/// 1 March, 1st March, 3rd of March , 2003.
DateParts day_first(const WordContext& words, size_t begin) {
  DateParts date;
  date.day = day_of(words.at(begin));
  const bool has_of = words.at(begin + 1) == "of" && date.day.is_ordinal;
  const Word month = words.at(begin + (has_of ? 2 : 1));
  const bool has_comma =
      month.ends_with(',') && english_year_of(words.at(begin + (has_of ? 3 : 2))) > 0;
  date.month = month_beside_day(has_comma ? month.substr(0, month.size() - 1) : month);
  date.has_capital = has_capital(month);
  if (date.month == 0 || date.day.number == 0)
    return {};
  date.length = has_of ? 3 : 2;
  take_year(words, begin, date);
  return date;
}

/// May 1999, March of 2003, May.
DateParts month_alone(const WordContext& words, size_t begin) {
  DateParts date;
  Word month = words.at(begin);
  if (month.ends_with(',') && english_year_of(words.at(begin + 1)) > 0)
    month.remove_suffix(1);
  date.month = english_month(month);
  date.has_capital = has_capital(month);
  if (date.month == 0)
    return {};
  date.length = 1;
  take_year(words, begin, date);
  return date;
}

std::string german_date(const DateParts& date) {
  std::string text;
  if (date.day.number > 0)
    text += fmt::format("{}. ", date.day.number);
  text += kGermanMonths[static_cast<size_t>(date.month - 1)];
  if (date.year > 0)
    text += fmt::format(" {}", date.year);
  return text;
}

/// March 3 - 5, May 3 and 4, 3 - 5 March.
bool english_is_range(const WordContext& words, size_t begin, size_t end) {
  const bool goes_on = is_one_of(words.at(end), kGoesOnWithDay) &&
                       day_of(words.at(end + 1)).number > 0 &&
                       english_month(words.at(end + 2)) == 0;
  return is_range_mark(words.at(end)) || is_range_mark(words.before(begin)) || goes_on;
}

/// Whether a day and a month make a date here and nothing else.
bool is_sure_date(const WordContext& words,
                  size_t begin,
                  const DateParts& date,
                  bool day_is_first) {
  const size_t end = begin + date.length;
  if (!is_day_of_month(date.day.number, date.month) || english_is_range(words, begin, end))
    return false;
  if (date.year > 0 || date.day.is_ordinal || !is_also_word(date.month))
    return true;
  if (day_is_first)  // "at least 5 may come"
    return date.has_capital;
  const std::string before = to_lowercase(words.before(begin));
  const bool has_date_before = begin == 0 || before == "and" || before == "or" ||
                               is_one_of(before, kBeforeDate) ||
                               place_in(kEnglishWeekdays, words.before(begin)) > 0;
  return (date.has_capital || has_date_before) && may_follow_date(words.at(end));
}

/// Whether the word in front says that a month follows: in May, between March and May.
bool has_month_before(const WordContext& words, size_t begin) {
  const std::string before = to_lowercase(words.before(begin));
  const bool joins = before == "and" || before == "or" || before == "to" || before == "-";
  const bool is_second = joins && begin > 1 && english_month(words.at(begin - 2)) > 0;
  return is_second || is_one_of(before, kBeforeMonth);
}

bool is_sure_month(const WordContext& words, size_t begin, const DateParts& date) {
  const Word after = words.at(begin + date.length);
  const bool has_preposition = has_month_before(words, begin);
  if (date.year > 0)
    return date.has_capital || !is_also_word(date.month) || has_preposition;
  const bool stands_in_name =
      has_capital(after) || (has_capital(words.before(begin)) && !has_preposition);
  const bool is_followed = plain_number(after) > 0 || is_range_mark(after) || after == "'s";
  const bool is_part = is_possessive(after) || is_mentioned(words, begin, begin + date.length);
  if (!date.has_capital || stands_in_name || is_followed || is_part)
    return false;
  const bool is_also_name =
      is_also_word(date.month) || date.month == 4 || date.month == 6 || date.month == 8;
  return has_preposition || !is_also_name;
}

RuleReading dated(const DateParts& date, const char* rule, bool is_sure) {
  return {date.length, is_sure ? german_date(date) : "", rule, is_sure};
}

}  // namespace

int64_t english_month(std::string_view word) { return place_in(kEnglishMonths, word); }

std::optional<RuleReading> english_date_at(const WordContext& words, size_t begin) {
  if (auto time = english_time_at(words, begin))
    return time;
  const DateParts first = month_first(words, begin);
  if (first.length > 0)
    return dated(first, "date", is_sure_date(words, begin, first, /*day_is_first=*/false));
  const DateParts second = day_first(words, begin);
  if (second.length > 0) {
    // "at least 5 may come": the number is not a date, the word not a month
    return dated(second, "date", is_sure_date(words, begin, second, /*day_is_first=*/true));
  }
  const DateParts month = month_alone(words, begin);
  if (month.length > 0)
    return dated(
        month, month.year > 0 ? "month and year" : "month", is_sure_month(words, begin, month));
  return english_weekday_at(words, begin);
}

}  // namespace phraseq
