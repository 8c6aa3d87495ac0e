#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "core/phrase_memory/rules/calendar.h"
#include "core/phrase_memory/rules/numerals.h"
#include "core/phrase_memory/rules/phrase_rules.h"
#include "core/text/lower_case.h"

namespace phraseq {
namespace {

/// Digits alone, else 0.
int64_t plain_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : 0;
}

int64_t month_of(const std::string& word) {
  const std::string lower = lower_case(word);
  for (size_t month = 0; month < kEnglishMonths.size(); ++month) {
    if (lower == lower_case(kEnglishMonths[month]))
      return static_cast<int64_t>(month + 1);
  }
  return 0;
}

/// 1 or 1st … 31st; 0 when it is no such thing.
int64_t day_of(std::string_view word) {
  for (const std::string_view ending : {"st", "nd", "rd", "th"}) {
    if (word.ends_with(ending)) {
      word.remove_suffix(ending.size());
      break;
    }
  }
  return word.size() <= 2 ? plain_number(word) : 0;
}

int64_t year_of(std::string_view word) { return word.size() == 4 ? plain_number(word) : 0; }

std::string german_date(int64_t day, int64_t month, int64_t year) {
  std::string text;
  if (day > 0)
    text += fmt::format("{}. ", day);
  text += kGermanMonths[static_cast<size_t>(month - 1)];
  if (year > 0)
    text += fmt::format(" {}", year);
  return text;
}

/// March 1 , 2003; March 1, 2003; March 1; March 2003; 1 March 2003; 1 March. The comma is taken
/// out first.
std::optional<std::string> english_date(std::span<const std::string> words) {
  std::vector<std::string> parts(words.begin(), words.end());
  if (parts.size() == 4 && parts[2] == ",")
    parts.erase(parts.begin() + 2);
  else if (parts.size() == 3 && parts[1].ends_with(","))
    parts[1].pop_back();
  if (parts.size() < 2 || parts.size() > 3)
    return std::nullopt;
  const bool has_month_first = month_of(parts[0]) > 0;
  const int64_t month = month_of(parts[has_month_first ? 0 : 1]);
  const int64_t year = year_of(parts.back());
  if (month == 0 || (parts.size() == 3 && year == 0))
    return std::nullopt;
  if (has_month_first && parts.size() == 2 && year > 0)
    return german_date(0, month, year);
  const int64_t day = day_of(parts[has_month_first ? 1 : 0]);
  if (!is_day_of_month(day, month))
    return std::nullopt;
  return german_date(day, month, parts.size() == 3 ? year : 0);
}

/// 17 million, 1.5 billion.
std::optional<std::string> large_number(const std::string& number, const std::string& scale) {
  const bool is_plain = plain_number(number) > 0;
  const auto german = is_plain ? std::optional(number) : german_number(number);
  if (!german)
    return std::nullopt;
  const bool is_one = number == "1";
  const std::string lower = lower_case(scale);
  if (lower == "million")
    return *german + (is_one ? " Million" : " Millionen");
  if (lower == "billion")
    return *german + (is_one ? " Milliarde" : " Milliarden");
  if (lower == "trillion")
    return *german + (is_one ? " Billion" : " Billionen");
  return std::nullopt;
}

/// A capital, then at least one small letter, ASCII: not I, nor USA, which German may write apart.
bool is_capitalized(const std::string& word) {
  const auto is_small = [](char one) { return one >= 'a' && one <= 'z'; };
  return word.size() > 1 && word.front() >= 'A' && word.front() <= 'Z' &&
         std::all_of(word.begin() + 1, word.end(), is_small);
}

}  // namespace

std::optional<RuleTranslation> english_german_rule(const RuleWindow& window) {
  const std::span<const std::string> words = window.words;
  if (const auto found = english_date(words))
    return RuleTranslation{*found, "dates"};
  if (words.size() == 1) {
    if (const auto number = german_number(words[0]))
      return RuleTranslation{*number, "numbers"};
  }
  if (words.size() == 2) {
    if (const auto number = large_number(words[0], words[1]))
      return RuleTranslation{*number, "numbers"};
  }
  const bool is_name = words.size() > 1 && !window.begins_sentence &&
                       std::all_of(words.begin(), words.end(), is_capitalized);
  if (is_name)
    return RuleTranslation{fmt::format("{}", fmt::join(words, " ")), "names"};
  return std::nullopt;
}

}  // namespace phraseq
