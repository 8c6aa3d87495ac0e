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
                                                          {"Mrd.", "billion"},
                                                          {"Billion", "trillion"},
                                                          {"Billionen", "trillion"}});
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
constexpr std::array<Word, 6> kGermanOtherScales = {
    "Tausend", "tausend", "Hundert", "hundert", "Dutzend", "Uhr"};

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

std::optional<GermanNumber> german_number_at(const WordContext& words, size_t begin) {
  const auto digits = english_digits(words.at(begin));
  if (!digits)
    return std::nullopt;
  const Word behind = words.at(begin + 1);
  const bool is_sure = !is_part(words, begin) && !is_one_of(behind, kGermanOtherScales);
  const Word scale = english_of(kGermanScales, behind);
  if (!scale.empty())
    return GermanNumber{2,
                        fmt::format("{} {}", *digits, scale),
                        "million",
                        is_sure && digits->find(',') == std::string::npos};
  const Word unit = english_of(kGermanUnits, behind);
  if (!unit.empty())
    return GermanNumber{
        2, fmt::format("{} {}", *digits, unit), "unit", is_sure && words.at(begin) != "1"};
  if (!english_from_german_number(words.at(begin)))
    return std::nullopt;
  const bool has_point = digits->find('.') != std::string::npos;
  return GermanNumber{1, *digits, has_point ? "decimal" : "groups", is_sure};
}

}  // namespace phraseq
