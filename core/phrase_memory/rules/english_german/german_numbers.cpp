#include "core/phrase_memory/rules/english_german/german_numbers.h"

#include <array>

#include <fmt/format.h>

#include "core/phrase_memory/rules/numerals.h"

namespace phraseq {
namespace {

using Word = std::string_view;

struct Pair {
  Word german;
  Word english;
};
constexpr std::array kGermanScales = std::to_array<Pair>({{"Million", "million"},
                                                          {"Millionen", "million"},
                                                          {"Mio", "million"},
                                                          {"Mio.", "million"},
                                                          {"Milliarde", "billion"},
                                                          {"Milliarden", "billion"},
                                                          {"Mrd", "billion"},
                                                          {"Mrd.", "billion"}});
// Units of which there are two and more; 1 stands in other forms, too (eine Stunde). Jahre is left
// out: what is 50 Jahre alt is often just 50.
constexpr std::array kGermanUnits = std::to_array<Pair>({{"Sekunden", "seconds"},
                                                         {"Stunden", "hours"},
                                                         {"Tage", "days"},
                                                         {"Wochen", "weeks"},
                                                         {"Monate", "months"},
                                                         {"Monaten", "months"},
                                                         {"Grad", "degrees"},
                                                         {"Meilen", "miles"}});
// Billion is 10^12, but German texts that were translated from English write it for 10^9.
constexpr std::array<Word, 9> kGermanOtherScales = {
    "Tausend", "tausend", "Hundert", "hundert", "Dutzend", "Uhr", "Billion", "Billionen", "Bio."};

template <class Pairs>
Word english_of(const Pairs& pairs, Word german) {
  for (const Pair& pair : pairs) {
    if (pair.german == german)
      return pair.english;
  }
  return {};
}

/// Digits as English writes them: plain ones as they are.
std::optional<std::string> english_digits(Word word) {
  if (auto marked = english_from_german_number(word))
    return marked;
  return plain_number(word) > 0 && word.front() != '0' ? std::optional<std::string>(word)
                                                       : std::nullopt;
}

/// [ 0,1 ], { 1,2 }, ( arg , 1,1 ), 1,3 ; 7: two values or an interval rather than a number.
bool is_list(const WordContext& words, size_t at) {
  const Word number = words.at(at);
  const Word before = words.before(at);
  const Word after = words.at(at + 1);
  const size_t comma = number.find(',');
  const bool is_whole = comma == Word::npos || number.find('.') != Word::npos;
  const bool is_pair = (before == "[" && after == "]") || (before == "{" && after == "}");
  const bool is_point =
      before == "(" && after == ")" && (number == "0,0" || number == "0,1" || number == "1,1");
  const bool is_argument = before == "," && (after == "," || after == ")");
  const bool goes_on = after == "," && words.at(at + 2).size() == 1;  // 0,1 , x
  const bool is_enumerated = after == ";" && plain_number(words.at(at + 2)) > 0 && before != ";" &&
                             before != "(" && before != "=";
  const bool is_option = before == "x" && at > 1 && words.at(at - 2) == "-";
  return !is_whole && (is_pair || is_point || is_argument || goes_on || is_enumerated || is_option);
}

/// 192.168.100.100, 168.192 . in - addr, Version 2.100.
bool is_address_or_version(const WordContext& words, size_t at) {
  const Word number = words.at(at);
  if (number.find(',') != Word::npos || number.find('.') == Word::npos)
    return false;
  bool is_address = number.size() > 11 && number.find('.') <= 3;
  for (size_t begin = 0; begin < number.size(); begin = number.find('.', begin) + 1) {
    is_address =
        is_address && plain_number(number.substr(begin, number.find('.', begin) - begin)) <= 255;
    if (number.find('.', begin) == Word::npos)
      break;
  }
  const Word before = words.before(at);
  const bool is_version = before == "Version" || before == "version" || before == "Versionen";
  const bool goes_on = words.at(at + 1) == "." && is_small_word(words.at(at + 2));
  return is_address || is_version || goes_on;
}

/// Whether the sentence has a number in English notation: 3.14.
bool has_english_notation(const WordContext& words) {
  for (size_t at = 0; at < words.size(); ++at) {
    const Word word = words.at(at);
    const size_t point = word.find('.');
    const bool is_number = point != Word::npos && point > 0 && word.size() > point + 1 &&
                           word.find_first_not_of("0123456789.") == Word::npos;
    if (is_number && word.find('.', point + 1) == Word::npos && word.size() > point + 4)
      return true;  // 3.14159 groups nothing
  }
  return false;
}

/// A part of something longer: 18 969, 3 - 5, 10 bis 15, 5,000 (5 or 5000).
bool is_part(const WordContext& words, size_t at) {
  const Word number = words.at(at);
  const size_t comma = number.find(',');
  const bool is_either = comma != Word::npos && number.size() == comma + 4 &&
                         !number.starts_with("0,") && number.find('.') == Word::npos;
  const Word before = words.before(at);
  const bool is_second = before == "bis" || is_range_mark(before) || plain_number(before) > 0;
  return is_either || is_second || is_range_mark(words.at(at + 1)) ||
         plain_number(words.at(at + 1)) > 0;
}

}  // namespace

std::optional<RuleReading> german_number_at(const WordContext& words, size_t begin) {
  const auto digits = english_digits(words.at(begin));
  if (!digits)
    return std::nullopt;
  const Word after = words.at(begin + 1);
  const bool is_sure = !is_part(words, begin) && !is_one_of(after, kGermanOtherScales) &&
                       !is_list(words, begin) && !is_address_or_version(words, begin);
  const Word scale = english_of(kGermanScales, after);
  if (!scale.empty())
    return RuleReading{2,
                       fmt::format("{} {}", *digits, scale),
                       "million",
                       is_sure && digits->find(',') == std::string::npos};
  const Word unit = english_of(kGermanUnits, after);
  if (!unit.empty())
    return RuleReading{
        2, fmt::format("{} {}", *digits, unit), "unit", is_sure && words.at(begin) != "1"};
  if (!english_from_german_number(words.at(begin)))
    return std::nullopt;
  const bool has_point = digits->find('.') != std::string::npos;
  return RuleReading{1,
                     *digits,
                     has_point ? "decimal" : "groups",
                     is_sure && (has_point || !has_english_notation(words))};
}

}  // namespace phraseq
