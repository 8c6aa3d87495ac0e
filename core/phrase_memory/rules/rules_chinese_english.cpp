#include <algorithm>

#include <fmt/format.h>

#include "core/io/utf8.h"
#include "core/phrase_memory/rules/calendar.h"
#include "core/phrase_memory/rules/chinese_names.h"
#include "core/phrase_memory/rules/numerals.h"
#include "core/phrase_memory/rules/phrase_rules.h"

namespace phraseq {
namespace {

constexpr size_t kTitleWords = 4;  // words that may make a title: 行 政 长 官

/// Traditional forms become the simplified ones that numbers and dates are compared with.
char32_t simplified(char32_t character) {
  constexpr std::u32string_view kTraditional = U"萬億兩號";
  constexpr std::u32string_view kSimplified = U"万亿两号";
  const size_t at = kTraditional.find(character);
  return at == std::u32string_view::npos ? character : kSimplified[at];
}

std::u32string characters_of(std::span<const std::string> words) {
  std::u32string characters;
  for (const std::string& word : words) {
    for (size_t at = 0; at < word.size();) characters += simplified(next_character(word, at));
  }
  return characters;
}

/// Takes the text before the first of `marks`, and the mark, from the front; empty when none of
/// them is there.
std::u32string_view take_before(std::u32string_view& text, std::u32string_view marks) {
  const size_t at = text.find_first_of(marks);
  if (at == std::u32string_view::npos)
    return {};
  const std::u32string_view before = text.substr(0, at);
  text.remove_prefix(at + 1);
  return before;
}

/// A month or a day: 3, 三 or 三十一; 0 when it is none.
int64_t small_number(std::u32string_view text) {
  const auto digits = text.size() <= 2 ? digits_value(text) : std::nullopt;
  return digits.value_or(chinese_number_value(text).value_or(0));
}

/// 二〇〇三年三月一日, 三月一日, 二〇〇三年三月, 二〇〇三年 or 三月. Years have four digits.
std::optional<std::string> chinese_date(std::u32string_view text) {
  const bool has_year = text.find(U'年') != std::u32string_view::npos;
  const std::u32string_view year_text = take_before(text, U"年");
  const int64_t year = year_text.size() == 4 ? digits_value(year_text).value_or(0) : 0;
  if (has_year && year < 1000)
    return std::nullopt;
  if (has_year && text.empty())
    return fmt::format("{}", year);
  const int64_t month = small_number(take_before(text, U"月"));
  const bool has_day = !text.empty();
  const int64_t day = has_day ? small_number(take_before(text, U"日号")) : 1;
  if (!text.empty() || !is_day_of_month(day, month))
    return std::nullopt;
  std::string english(kEnglishMonths[static_cast<size_t>(month - 1)]);
  if (has_day)
    english += fmt::format(" {}", day);
  if (has_year)
    english += fmt::format("{} {}", has_day ? " ," : "", year);
  return english;
}

/// 1345 → 1,345: Arabic digits with group marks; 1900 to 2099 may be a year and is left.
std::optional<std::string> grouped(std::u32string_view text) {
  const bool is_arabic = std::all_of(
      text.begin(), text.end(), [](char32_t one) { return one >= U'0' && one <= U'9'; });
  const auto value = digits_value(text);
  if (!is_arabic || !value || text.front() == U'0' || *value < 1000 ||
      (*value >= 1900 && *value < 2100))
    return std::nullopt;
  return english_number(*value);
}

bool is_latin_word(const std::string& word) {
  const auto is_letter = [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z');
  };
  const auto belongs = [&](char one) {
    return is_letter(one) || (one >= '0' && one <= '9') || one == '-' || one == '.' || one == '\'';
  };
  return is_letter(word.front()) && std::all_of(word.begin(), word.end(), belongs);
}

/// What has the form of a name is most often another word, so a title must stand beside it. In
/// front of it one shows where a name begins, not where it ends: then the name is one word.
std::optional<std::string> name_beside_title(std::u32string_view text, const RuleWindow& window) {
  if (!looks_like_name(text))
    return std::nullopt;
  const auto before = window.before.last(std::min(kTitleWords, window.before.size()));
  const auto behind = window.behind.first(std::min(kTitleWords, window.behind.size()));
  if (begins_with_title(characters_of(behind)) ||
      (window.words.size() == 1 && ends_in_title(characters_of(before))))
    return name_in_pinyin(text);
  return std::nullopt;
}

}  // namespace

std::optional<RuleTranslation> chinese_english_rule(const RuleWindow& window) {
  const std::span<const std::string> words = window.words;
  if (std::all_of(words.begin(), words.end(), is_latin_word))
    return RuleTranslation{fmt::format("{}", fmt::join(words, " ")), "names"};
  const std::u32string text = characters_of(words);
  if (const auto found = chinese_date(text))
    return RuleTranslation{*found, "dates"};
  // A lone 十 or 千 is more often part of something else.
  if (const auto value = text.size() > 1 ? chinese_number_value(text) : std::nullopt)
    return RuleTranslation{english_number(*value), "numbers"};
  if (const auto number = words.size() == 1 ? grouped(text) : std::nullopt)
    return RuleTranslation{*number, "numbers"};
  if (const auto name = name_beside_title(text, window))
    return RuleTranslation{*name, "names"};
  return std::nullopt;
}

}  // namespace phraseq
