#include "core/phrase_memory/rules/quantities/quantity_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "core/base/text_fields.h"
#include "core/phrase_memory/rules/quantities/number_words.h"
#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {
namespace {

using Word = std::string_view;

// A number before one of these is a quantity, not a version: 12.5 % in German, 1,5 % in English.
constexpr std::array<Word, 27> kMeasures = {
    "%",      "percent", "prozent", "hz", "khz",  "mhz",  "ghz",   "mm",     "cm",
    "m",      "km",      "kg",      "g",  "ms",   "s",    "euro",  "euros",  "€",
    "dollar", "dollars", "grad",    "°",  "days", "tage", "meter", "meters", "points"};

double parsed(const std::string& digits) {
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// The value of digits with marks; not a number when a group mark is out of place (a version).
double digits_number(Word digits, QuantityLanguage language) {
  const char group = language == QuantityLanguage::kEnglish ? ',' : '.';
  const char point = language == QuantityLanguage::kEnglish ? '.' : ',';
  const size_t last_group = digits.rfind(group);
  const size_t end = std::min(digits.find(point), digits.size());
  if (last_group != Word::npos && (end < last_group || end - last_group != 4))
    return std::numeric_limits<double>::quiet_NaN();
  std::string plain;
  for (const char one : digits) {
    if (is_ascii_digit(one))
      plain += one;
    else if (one == point)
      plain += '.';
  }
  return parsed(plain);
}

/// 1,5 in English or 1.5 in German. Nothing if three digits follow the mark: it groups them.
std::optional<double> foreign_decimal(Word digits, QuantityLanguage language) {
  const size_t mark = digits.find(language == QuantityLanguage::kEnglish ? ',' : '.');
  if (mark == Word::npos || digits.find_first_of(".,:", mark + 1) != Word::npos ||
      digits.find_first_of(".,:") != mark || digits.size() == mark + 4)
    return std::nullopt;
  return parsed(std::string(digits.substr(0, mark)) + '.' + std::string(digits.substr(mark + 1)));
}

/// The value of the words of a number that were read so far.
struct SpokenNumber {
  double total = 0;    ///< of what stands before the last scale above a hundred
  double current = 0;  ///< of what stands after it

  double value() const { return total + current; }

  void multiply(double scale) {
    if (scale > 100) {
      total = current > 0 ? total + current * scale : total * scale;  // 3 thousand million
      current = 0;
    } else {
      current *= scale;
    }
  }
  /// Whether a small number can follow: five after twenty, one after "a thousand and".
  bool can_add(double small, bool is_behind_and) const {
    if (small >= 100)
      return false;
    return current > 0 ? std::fmod(current, small < 10 ? 10 : 100) == 0
                       : total > 0 && is_behind_and;
  }
};

class NumberReader : QuantityReader {
 public:
  using QuantityReader::QuantityReader;

  void read() {
    for (size_t place = 0; place < tokens_.size();) place = read_number(place);
  }

 private:
  std::optional<double> scale_at(size_t place) const {
    return number_scale(at(place), tokens_.language());
  }

  size_t behind_joint(size_t place) const {
    const bool joins = at(place) == "-" || at(place) == "and";
    return joins && (small_number_at(place + 1) || scale_at(place + 1)) ? place + 1 : place;
  }

  /// The value of a token of digits: that of a number with a foreign decimal mark where it is
  /// measured.
  double token_value(size_t place) const {
    const auto foreign = foreign_decimal(at(place), tokens_.language());
    const Word after = at(place + 1);
    const bool is_measured =
        scale_at(place + 1) || (is_one_of(after, kMeasures) && at(place + 2) != "}");
    return foreign && is_measured ? *foreign : digits_number(at(place), tokens_.language());
  }
  /// 176 000, 3 000 000 000.
  void add_spaced_groups(size_t begin, double first) {
    double value = first;
    size_t place = begin + 1;
    for (; at(place).size() == 3 && is_ascii_digit(at(place).front()) &&
           at(place).find_first_not_of("0123456789") == Word::npos;
         ++place)
      value = value * 1000 + static_cast<double>(plain_number(at(place)));
    if (at(begin).size() <= 3 && place > begin + 1)
      found_.numbers.push_back(value);
  }
  /// The second of "8 second clock" is a unit.
  bool is_unit_second(size_t place) const {
    const size_t number = place > 1 && at(place - 1) == "-" ? place - 2 : place - 1;
    return at(place) == "second" && place > 0 && is_number_token(at(number));
  }

  std::optional<double> first_value(size_t place) const {
    const Word word = at(place);
    if (is_ascii_digit(word.front()))
      return token_value(place);
    const bool is_article = (word == "a" || word == "an") && scale_at(place + 1);
    return is_article ? std::optional(1.0) : small_number_at(place);
  }
  /// Adds the scales and, after words, the small numbers from `place` on; returns the place
  /// after.
  size_t add_words(size_t place, bool has_digits, SpokenNumber& number) const {
    for (;;) {
      const size_t next = behind_joint(place);
      const auto small = small_number_at(next);
      if (const auto scale = scale_at(next)) {
        number.multiply(*scale);
      } else if (small && !has_digits && number.can_add(*small, at(place) == "and")) {
        number.current += *small;
      } else {
        return place;
      }
      place = next + 1;
    }
  }

  /// Digits or number words, and scales after them; returns the place after.
  size_t read_number(size_t begin) {
    if (tokens_.is_used(begin) || is_unit_second(begin))
      return begin + 1;
    const auto first = first_value(begin);
    if (!first)
      return begin + 1;
    const bool has_digits = is_number_token(at(begin));
    SpokenNumber number{0, *first};
    size_t end = add_words(begin + 1, has_digits, number);
    found_.numbers.push_back(number.value());
    if (has_digits)
      add_spaced_groups(begin, *first);
    if (has_digits && is_ordinal_end(at(end)) && at(end) != ".")
      ++end;
    tokens_.use(begin, end);
    return end;
  }
};

}  // namespace

void read_numbers(QuantityTokens& tokens, Quantities& found) { NumberReader(tokens, found).read(); }

}  // namespace phraseq
