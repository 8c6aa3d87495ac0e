#include "core/phrase_memory/rules/quantities/quantities.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/phrase_memory/rules/plain_tokens.h"
#include "core/phrase_memory/rules/quantities/quantity_centuries.h"
#include "core/phrase_memory/rules/quantities/quantity_dates.h"
#include "core/phrase_memory/rules/quantities/quantity_numbers.h"
#include "core/phrase_memory/rules/quantities/quantity_times.h"
#include "core/phrase_memory/rules/quantities/quantity_tokens.h"

namespace phraseq {
namespace {

using Word = std::string_view;

struct Alias {
  Word text;
  Word unit;
};
constexpr std::array kUnitAliases = std::to_array<Alias>({{"mph", "miles"},
                                                          {"mi", "miles"},
                                                          {"h", "hours"},
                                                          {"hr", "hours"},
                                                          {"hrs", "hours"},
                                                          {"s", "seconds"},
                                                          {"sec", "seconds"},
                                                          {"secs", "seconds"},
                                                          {"°", "degrees"}});

/// 1930s are not seconds.
bool is_decade(const QuantityTokens& tokens, size_t place) {
  const Word number = tokens.at(place - 1);
  return tokens.at(place) == "s" && number.size() == 4 && number.back() == '0';
}

void add_word(const QuantityTokens& tokens, size_t place, Quantities& found) {
  found.words.emplace_back(tokens.at(place));
  if (place == 0 || !is_number_token(tokens.at(place - 1)) || is_decade(tokens, place))
    return;
  for (const Alias& alias : kUnitAliases) {  // 85mph
    if (alias.text == tokens.at(place))
      found.words.emplace_back(alias.unit);
  }
}

/// What belongs to no date, time, century or number.
void read_words(const QuantityTokens& tokens, Quantities& found) {
  for (size_t place = 0; place < tokens.size(); ++place) {
    if (!tokens.is_used(place) && is_letter_byte(tokens.at(place).front()))
      add_word(tokens, place, found);
  }
}

bool has_date(const Quantities& text, const DateValue& date) {
  return std::any_of(text.dates.begin(), text.dates.end(), [&](const DateValue& other) {
    const bool has_day =
        date.days.empty() ||
        std::find(other.days.begin(), other.days.end(), date.days.front()) != other.days.end();
    const bool has_year = date.year == 0 || other.year == date.year;
    return other.month == date.month && has_day && has_year;
  });
}

bool has_number(const Quantities& text, double number) {
  const auto is_equal = [&](double other) {
    return std::abs(other - number) <= 1e-9 * std::abs(number);
  };
  const bool is_year =
      std::any_of(text.dates.begin(), text.dates.end(), [&](const DateValue& date) {
        return static_cast<double>(date.year) == number;
      });
  return is_year || std::any_of(text.numbers.begin(), text.numbers.end(), is_equal);
}

bool has_word(const Quantities& text, const std::string& word) {
  const std::string one = word.ends_with('s') ? word.substr(0, word.size() - 1) : word;
  return std::any_of(text.words.begin(), text.words.end(), [&](const std::string& other) {
    const bool is_many =
        other.ends_with("ies") && other.substr(0, other.size() - 3) + "y" == word;  // centuries
    return is_many || other == word || other == one || other == one + "s";
  });
}

}  // namespace

Quantities quantities_in(std::string_view text, QuantityLanguage language) {
  QuantityTokens tokens(text, language);
  Quantities found;
  read_dates(tokens, found);
  read_times(tokens, found);
  if (tokens.is_english())
    read_centuries(tokens, found);
  read_numbers(tokens, found);
  read_words(tokens, found);
  return found;
}

bool has_quantities(const Quantities& text, const Quantities& phrase) {
  const auto all = [](const auto& wanted, auto is_there) {
    return std::all_of(wanted.begin(), wanted.end(), is_there);
  };
  return all(phrase.dates, [&](const DateValue& date) { return has_date(text, date); }) &&
         all(phrase.times,
             [&](int64_t time) {
               return std::find(text.times.begin(), text.times.end(), time) != text.times.end();
             }) &&
         all(phrase.centuries,
             [&](int64_t century) {
               return std::find(text.centuries.begin(), text.centuries.end(), century) !=
                      text.centuries.end();
             }) &&
         all(phrase.numbers, [&](double number) { return has_number(text, number); }) &&
         all(phrase.words, [&](const std::string& word) { return has_word(text, word); });
}

}  // namespace phraseq
