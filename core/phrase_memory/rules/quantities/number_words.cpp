#include "core/phrase_memory/rules/quantities/number_words.h"

#include <array>
#include <string>

namespace phraseq {
namespace {

using Word = std::string_view;

struct Valued {
  Word word;
  double value;
};
constexpr std::array kEnglishSmall = std::to_array<Valued>(
    {{"zero", 0},         {"one", 1},          {"two", 2},         {"three", 3},
     {"four", 4},         {"five", 5},         {"six", 6},         {"seven", 7},
     {"eight", 8},        {"nine", 9},         {"ten", 10},        {"eleven", 11},
     {"twelve", 12},      {"thirteen", 13},    {"fourteen", 14},   {"fifteen", 15},
     {"sixteen", 16},     {"seventeen", 17},   {"eighteen", 18},   {"nineteen", 19},
     {"twenty", 20},      {"thirty", 30},      {"forty", 40},      {"fifty", 50},
     {"sixty", 60},       {"seventy", 70},     {"eighty", 80},     {"ninety", 90},
     {"first", 1},        {"second", 2},       {"third", 3},       {"fourth", 4},
     {"fifth", 5},        {"sixth", 6},        {"seventh", 7},     {"eighth", 8},
     {"ninth", 9},        {"tenth", 10},       {"eleventh", 11},   {"twelfth", 12},
     {"thirteenth", 13},  {"fourteenth", 14},  {"fifteenth", 15},  {"sixteenth", 16},
     {"seventeenth", 17}, {"eighteenth", 18},  {"nineteenth", 19}, {"twentieth", 20},
     {"thirtieth", 30},   {"millennium", 1000}});
constexpr std::array kGermanSmall = std::to_array<Valued>(
    {{"null", 0},   {"ein", 1},      {"eine", 1},     {"einer", 1},    {"einen", 1},
     {"zwei", 2},   {"drei", 3},     {"vier", 4},     {"fünf", 5},     {"sechs", 6},
     {"sieben", 7}, {"acht", 8},     {"neun", 9},     {"zehn", 10},    {"elf", 11},
     {"zwölf", 12}, {"zwanzig", 20}, {"dreißig", 30}, {"vierzig", 40}, {"fünfzig", 50}});
constexpr std::array kEnglishScaleWords = std::to_array<Valued>({{"hundred", 1e2},
                                                                 {"thousand", 1e3},
                                                                 {"k", 1e3},
                                                                 {"million", 1e6},
                                                                 {"millions", 1e6},
                                                                 {"mn", 1e6},
                                                                 {"m", 1e6},
                                                                 {"billion", 1e9},
                                                                 {"billions", 1e9},
                                                                 {"bn", 1e9},
                                                                 {"b", 1e9},
                                                                 {"trillion", 1e12},
                                                                 {"tn", 1e12},
                                                                 {"dozen", 12}});
constexpr std::array kGermanScaleWords = std::to_array<Valued>({{"hundert", 1e2},
                                                                {"tausend", 1e3},
                                                                {"million", 1e6},
                                                                {"millionen", 1e6},
                                                                {"mio", 1e6},
                                                                {"milliarde", 1e9},
                                                                {"milliarden", 1e9},
                                                                {"mrd", 1e9},
                                                                {"billion", 1e12},
                                                                {"billionen", 1e12}});
template <class Table>
std::optional<double> value_in(const Table& table, Word word) {
  for (const Valued& entry : table) {
    if (entry.word == word)
      return entry.value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> small_number(Word word, QuantityLanguage language) {
  if (language == QuantityLanguage::kGerman)
    return value_in(kGermanSmall, word);
  if (word.size() > 6 && word.ends_with("ties"))  // twenties
    return value_in(kEnglishSmall, std::string(word.substr(0, word.size() - 3)) + "y");
  return value_in(kEnglishSmall, word);
}

std::optional<double> number_scale(Word word, QuantityLanguage language) {
  return language == QuantityLanguage::kEnglish ? value_in(kEnglishScaleWords, word)
                                                : value_in(kGermanScaleWords, word);
}

}  // namespace phraseq
