#include "core/phrase_memory/rules/chinese/chinese_dates.h"

#include <array>

#include <fmt/format.h>

#include "core/phrase_memory/rules/calendar.h"
#include "core/phrase_memory/rules/chinese/chinese_numerals.h"

namespace phraseq {
namespace {

using Words = std::u32string_view;

constexpr int64_t kChineseFirstYear = 1000;
constexpr int64_t kChineseLastYear = 2100;
constexpr std::array<Words, 5> kLunar = {U"农历", U"阴历", U"旧历", U"農曆", U"闰"};
constexpr std::array<Words, 3> kBeforeChrist = {U"公元前", U"西元前", U"第"};
// 三四五六年级; a round number of years: 2000年前, 一千年来, 2000年历史.
constexpr std::array<Words, 2> kNoYear = {U"级", U"級"};
constexpr std::array<Words, 12> kSpan = {
    U"前", U"来", U"间", U"間", U"历史", U"的历史", U"歷史", U"多", U"之久", U"里", U"内", U"左右"};
constexpr std::array<Words, 8> kSomeMonth = {
    U"每", U"某", U"这", U"那", U"同", U"的", U"第", U"几"};
constexpr std::array<Words, 10> kNoMonth = {
    U"内", U"球", U"亮", U"光", U"饼", U"餅", U"票", U"租", U"薪", U"天"};

// 三点十分之一, 12 时 20 分 - 2 秒, 8 时 5 分多.
constexpr std::array<Words, 10> kTimeGoesOn = {
    U"之", U"钟", U"鐘", U"-", U"－", U"+", U"多", U"余", U"几", U"来"};

/// A month, a day, an hour: 3, 三, 三十一; 0 when it is none.
int64_t small_number(std::u32string_view text) {
  const auto digits = text.size() <= 2 ? digits_value(text) : std::nullopt;
  return digits.value_or(chinese_number_value(text).value_or(0));
}

/// Four digits; of Chinese ones, which count in a row too (三四五六), those of a likely year.
int64_t year_value(std::u32string_view text) {
  const int64_t year = text.size() == 4 ? digits_value(text).value_or(0) : 0;
  const bool is_likely = year >= kChineseFirstYear && year < kChineseLastYear;
  return is_likely ? year : 0;
}

bool is_day_mark(char32_t character) { return character == U'日' || character == U'号'; }

/// What the month at `begin`, ending before 月 at `mark`, makes with a day after it.
ChineseDate chinese_month_at(
    const ChineseText& text, size_t date_begin, size_t begin, size_t mark, int64_t year) {
  const int64_t month = small_number(text.between(begin, mark));
  ChineseDate date;
  date.end = mark + 1;
  date.rule = year > 0 ? "year and month" : "month";
  const bool has_number = is_numeral(text.at(mark + 1));
  const size_t day_end = has_number ? numeral_end(text, mark + 1) : mark + 1;
  int64_t day = 0;
  date.is_sure = month >= 1 && month <= 12 && !ends_with_any(text.before(date_begin), kLunar);
  if (has_number && is_day_mark(text.at(day_end))) {
    day = small_number(text.between(mark + 1, day_end));
    date.end = day_end + 1;
    date.is_sure = date.is_sure && is_day_of_month(day, month);
    date.rule = year > 0 ? "date" : "month and day";
  } else if (has_number && year > 0) {  // 2003年3月1-5日
    date.end = day_end;
    date.is_sure = false;
  } else {
    if (text.at(date.end) == U'份')
      ++date.end;
    const bool is_some = year == 0 && ends_with_any(text.before(begin), kSomeMonth);
    date.is_sure = date.is_sure && !is_some && !begins_with_any(text.after(date.end), kNoMonth);
  }
  if (date.is_sure)
    date.english = english_date(day, month, year);
  return date;
}

ChineseDate year_at(const ChineseText& text, size_t begin, size_t mark, int64_t year) {
  ChineseDate date;
  date.end = mark + 1;
  date.rule = "year";
  const auto after = text.after(mark + 1);
  if (after.starts_with(U"代")) {
    date.end = mark + 2;
    date.rule = "decade";
    date.is_sure = year % 10 == 0;
    date.english = fmt::format("{}s", year);
    return date;
  }
  const bool is_span = year % 100 == 0 && begins_with_any(after, kSpan);
  date.is_sure = !is_span && !begins_with_any(after, kNoYear) &&
                 !ends_with_any(text.before(begin), kBeforeChrist);
  date.english = fmt::format("{}", year);
  return date;
}

/// 二〇〇三年 followed by a month.
std::optional<ChineseDate> date_with_year(const ChineseText& text, size_t begin, size_t mark) {
  const int64_t year = year_value(text.between(begin, mark));
  if (year == 0)
    return std::nullopt;
  const size_t month = mark + 1;
  const size_t month_end = is_numeral(text.at(month)) ? numeral_end(text, month) : month;
  if (month_end > month && text.at(month_end) == U'月')
    return chinese_month_at(text, begin, month, month_end, year);
  return year_at(text, begin, mark, year);
}

std::string ordinal(int64_t value) {
  const int64_t last = value / 10 % 10 == 1 ? 0 : value % 10;
  return fmt::format("{}{}", value, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

/// 二十一世纪, 20世纪90年代.
ChineseDate century_at(const ChineseText& text, size_t begin, size_t mark) {
  const int64_t century = small_number(text.between(begin, mark));
  ChineseDate date;
  date.end = mark + 2;
  date.rule = "century";
  const bool is_after_christ = !ends_with_any(text.before(begin), kBeforeChrist);
  date.is_sure = century > 0 && century <= 21 && is_after_christ;
  date.english = ordinal(century) + " century";
  const size_t decade = date.end;
  const size_t decade_end = is_numeral(text.at(decade)) ? numeral_end(text, decade) : decade;
  if (decade_end > decade && text.after(decade_end).starts_with(U"年代")) {
    const int64_t years = small_number(text.between(decade, decade_end));
    date.end = decade_end + 2;
    date.rule = "decade";
    date.is_sure = date.is_sure && century > 10 && years >= 10 && years < 100 && years % 10 == 0;
    date.english = fmt::format("{}s", (century - 1) * 100 + years);
  }
  return date;
}

/// 八点三十分, 8时5分, 三点一刻. Hours of the afternoon have two English forms.
std::optional<ChineseDate> chinese_time_at(const ChineseText& text, size_t begin, size_t end) {
  const auto all = text.between(begin, end);
  const size_t point = all.find(U'点');
  size_t mark = point == Words::npos ? end : begin + point;
  if (text.at(mark) != U'点' && text.at(mark) != U'时')
    return std::nullopt;
  const size_t minute = mark + 1;
  const size_t minute_end = is_numeral(text.at(minute)) ? numeral_end(text, minute) : minute;
  const bool has_quarters = text.at(minute_end) == U'刻';
  if (minute_end == minute || (text.at(minute_end) != U'分' && !has_quarters))
    return std::nullopt;
  auto minute_text = text.between(minute, minute_end);
  if (minute_text.size() == 2 && chinese_digit(minute_text.front()) == 0)
    minute_text.remove_prefix(1);  // 八点零五分
  const auto lone = digits_value(minute_text);
  const int64_t hour = small_number(text.between(begin, mark));
  const int64_t minutes = lone.value_or(small_number(minute_text)) * (has_quarters ? 15 : 1);
  const auto after = text.after(minute_end + 1);
  const bool goes_on = begins_with_any(after, kTimeGoesOn) || is_numeral(text.at(minute_end + 1));
  ChineseDate date;
  date.end = minute_end + 1;
  date.rule = "time";
  date.is_sure = hour >= 1 && hour <= 12 && minutes > 0 && minutes < 60 && !goes_on;
  date.english = fmt::format("{}:{:02}", hour, minutes);
  return date;
}

bool is_mark_in_number(const ChineseText& text, size_t at) {
  return (text.at(at) == U'.' || text.at(at) == U',') && is_arabic_digit(text.at(at - 1)) &&
         is_arabic_digit(text.at(at + 1)) && !text.is_edge(at) && !text.is_edge(at + 1);
}

}  // namespace

size_t numeral_end(const ChineseText& text, size_t begin) {
  size_t end = begin + 1;
  for (; text.at(end) != 0; ++end) {
    const bool splits =
        is_arabic_digit(text.at(end)) && is_arabic_digit(text.at(end - 1)) && text.is_edge(end);
    const bool is_point = text.at(end) == U'点' && chinese_digit(text.at(end + 1)).has_value();
    if (splits || !(is_numeral(text.at(end)) || is_point || is_mark_in_number(text, end)))
      break;
  }
  return end;
}

std::optional<ChineseDate> chinese_date_at(const ChineseText& text, size_t begin, size_t end) {
  if (const auto time = chinese_time_at(text, begin, end))
    return time;
  const auto after = text.after(end);
  if (after.starts_with(U"世纪") || after.starts_with(U"世紀"))
    return century_at(text, begin, end);
  if (after.starts_with(U"月"))
    return chinese_month_at(text, begin, begin, end, 0);
  return after.starts_with(U"年") ? date_with_year(text, begin, end) : std::nullopt;
}

}  // namespace phraseq
