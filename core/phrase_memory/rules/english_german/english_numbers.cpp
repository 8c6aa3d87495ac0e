#include "core/phrase_memory/rules/english_german/english_numbers.h"

#include <algorithm>
#include <array>

#include "core/base/text_fields.h"
#include "core/phrase_memory/rules/numerals.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

using Word = std::string_view;

// German scales, for one and for more.
struct EnglishScale {
  Word english;
  Word one;
  Word more;
};
constexpr std::array<EnglishScale, 3> kEnglishScales = {
    EnglishScale{"million", "Million", "Millionen"},
    EnglishScale{"billion", "Milliarde", "Milliarden"},
    EnglishScale{"trillion", "Billion", "Billionen"}};
// Short forms that both languages have.
constexpr std::array<Word, 4> kSharedScales = {"Mio", "Mio.", "Mrd", "Mrd."};
// Scales whose German form is not sure: m is million or metre. With these, nothing is translated.
constexpr std::array<Word, 20> kEnglishOtherScales = {
    "millions", "billions", "trillions", "m", "mn", "bn",       "b",  "k",  "tn",   "thousand",
    "hundred",  "dozen",    "K",         "M", "B",  "million-", "am", "pm", "a.m.", "p.m."};
constexpr std::array<Word, 47> kEnglishUnits = {
    "%",          "percent", "per",     "currency", "pt",    "mm",     "cm",        "m²",
    "km",         "kg",      "g",       "mg",       "ml",    "l",      "litres",    "liters",
    "inch",       "inches",  "feet",    "ft",       "miles", "metres", "meters",    "kilometres",
    "kilometers", "seconds", "minutes", "hours",    "days",  "weeks",  "months",    "years",
    "times",      "points",  "degrees", "°",        "€",     "euros",  "dollars",   "pounds",
    "GHz",        "MHz",     "Hz",      "EV",       "tons",  "tonnes", "percentage"};
// Words that a decimal number follows more often than a version or a section.
constexpr std::array<Word, 24> kBeforeNumber = {
    "of",     "by",    "than",   "about",  "approximately", "equals", "returns", "Returns",
    "yields", "value", "values", "nearly", "almost",        "around", "exactly", "only",
    "EUR",    "CHF",   "USD",    "costs",  "therefore",     ";",      "roughly", "averaged"};
// Digits with a point, next to one of these, are a version.
constexpr std::array<Word, 10> kVersioned = {"version",
                                             "versions",
                                             "release",
                                             "releases",
                                             "format",
                                             "source",
                                             "added",
                                             "onwards",
                                             "series",
                                             "kernel"};

/// 5.000 is 5 or, in texts by writers of other languages, 5000.
bool is_either(Word number) {
  const size_t point = number.rfind('.');
  return point != Word::npos && number.size() == point + 4 && number.find(',') == Word::npos &&
         !number.starts_with("0.");
}

/// 8.30, 10.00: two digits after the point, at most two before it.
bool is_time_like(Word number) {
  const size_t point = number.find('.');
  return point != Word::npos && point <= 2 && number.size() == point + 3;
}

/// The name of a spreadsheet function: ROUND, STDEV.
bool is_function(Word word) {
  return word.size() > 1 && std::all_of(word.begin(), word.end(), is_ascii_upper);
}

/// Whether the sentence has a formula: = ROUND ( 2.348 ; 2 ).
bool has_formula(const WordContext& words) {
  for (size_t at = 0; at + 2 < words.size(); ++at) {
    if (words.at(at) == "=" && is_function(words.at(at + 1)) && words.at(at + 2) == "(")
      return true;
  }
  return false;
}

/// Whether the sentence is about versions of something.
bool mentions_version(const WordContext& words) {
  for (size_t at = 0; at < words.size(); ++at) {
    if (words.at(at) == "version" || words.at(at) == "versions")
      return true;
  }
  return false;
}

/// Whether the number is part of code or of a placeholder: * 0.1, % { 12.1 % }.
bool is_code(const WordContext& words, size_t at) {
  const Word before = words.before(at);
  return before == "{" || words.at(at + 1) == "}" ||
         (before == "*" && at > 1 && words.at(at - 2) == "*");
}

/// Whether digits with a point in them are a decimal number here.
bool is_decimal(const WordContext& words, size_t at) {
  const Word before = words.before(at);
  const Word after = words.at(at + 1);
  constexpr std::array<Word, 4> kCompared = {"older", "newer", "earlier", "later"};
  if (before == "than" && at > 1 && is_one_of(words.at(at - 2), kCompared))
    return false;
  const bool is_named = has_capital(before) && after == "per";  // SVG 1.1 per settings
  if (is_code(words, at) || is_named)
    return false;
  if (mentions_version(words) && (after == "per" || !is_one_of(after, kEnglishUnits)))
    return false;
  if (is_one_of(after, kVersioned) || has_capital(after))
    return is_one_of(after, kEnglishUnits);
  const bool is_fraction = words.at(at).starts_with("0.") && words.at(at) != "0.0" &&
                           (is_small_word(before) || is_small_word(after)) && before != "version";
  const bool stands_alone = words.size() == 1;
  const bool is_in_formula = has_formula(words) && !has_capital(before);
  if (is_one_of(after, kEnglishUnits) || stands_alone || is_fraction || is_in_formula)
    return true;
  return is_one_of(before, kBeforeNumber) &&
         !(before == "of" && is_time_like(words.at(at)) && words.at(at).ends_with(".0"));
}

/// 1,345 → 1.345 and, where a decimal number can stand, 2.5 → 2,5.
std::optional<RuleReading> marked_number(const WordContext& words, size_t at) {
  const Word number = words.at(at);
  const auto german = german_number(number);
  if (!german)
    return std::nullopt;
  const bool has_groups = number.find(',') != Word::npos;
  const bool has_point = number.find('.') != Word::npos;
  const bool is_sure = (!is_either(number) || has_formula(words)) &&
                       (has_groups || (has_point && is_decimal(words, at))) &&
                       (!is_range_mark(words.before(at)) || has_formula(words)) &&
                       !is_one_of(words.at(at + 1), kEnglishOtherScales);
  return RuleReading{1, *german, has_point ? "decimal" : "groups", is_sure};
}

/// 17 million, 1.5 billion, 1.5 Mio.
std::optional<RuleReading> scaled_number(const WordContext& words, size_t at) {
  const Word number = words.at(at);
  const auto marked = german_number(number);
  if (!marked && plain_number(number) == 0)
    return std::nullopt;
  const std::string german = marked.value_or(std::string(number));
  const Word scale = words.at(at + 1);
  if (is_one_of(scale, kSharedScales))
    return RuleReading{2, german + ' ' + std::string(scale), "million", !is_either(number)};
  const std::string lower = to_lowercase(scale);
  for (const EnglishScale& known : kEnglishScales) {
    if (lower == known.english)
      return RuleReading{2,
                         german + ' ' + std::string(number == "1" ? known.one : known.more),
                         "million",
                         !is_either(number)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<RuleReading> english_number_at(const WordContext& words, size_t begin) {
  if (auto scaled = scaled_number(words, begin))
    return scaled;
  return marked_number(words, begin);
}

}  // namespace phraseq
