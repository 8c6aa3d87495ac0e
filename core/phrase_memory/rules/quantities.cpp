#include "core/phrase_memory/rules/quantities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "core/phrase_memory/rules/calendar.h"
#include "core/phrase_memory/rules/plain_tokens.h"
#include "core/phrase_memory/rules/word_context.h"
#include "core/text/lower_case.h"

namespace phraseq {
namespace {

using Word = std::string_view;

struct Valued {
  Word word;
  double value;
};
constexpr std::array kEnglishSmall = std::to_array<Valued>(
    {{"zero", 0},         {"one", 1},         {"two", 2},         {"three", 3},
     {"four", 4},         {"five", 5},        {"six", 6},         {"seven", 7},
     {"eight", 8},        {"nine", 9},        {"ten", 10},        {"eleven", 11},
     {"twelve", 12},      {"thirteen", 13},   {"fourteen", 14},   {"fifteen", 15},
     {"sixteen", 16},     {"seventeen", 17},  {"eighteen", 18},   {"nineteen", 19},
     {"twenty", 20},      {"thirty", 30},     {"forty", 40},      {"fifty", 50},
     {"sixty", 60},       {"seventy", 70},    {"eighty", 80},     {"ninety", 90},
     {"first", 1},        {"second", 2},      {"third", 3},       {"fourth", 4},
     {"fifth", 5},        {"sixth", 6},       {"seventh", 7},     {"eighth", 8},
     {"ninth", 9},        {"tenth", 10},      {"eleventh", 11},   {"twelfth", 12},
     {"thirteenth", 13},  {"fourteenth", 14}, {"fifteenth", 15},  {"sixteenth", 16},
     {"seventeenth", 17}, {"eighteenth", 18}, {"nineteenth", 19}, {"twentieth", 20},
     {"thirtieth", 30}});
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
constexpr std::array<Word, 12> kShortEnglish = {
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<Word, 12> kShortGerman = {
    "jan", "feb", "mrz", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"};
constexpr std::array<Word, 5> kOrdinalEnds = {"st", "nd", "rd", "th", "."};

bool is_digit(char one) { return one >= '0' && one <= '9'; }
bool is_word_byte(char one) {
  return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') ||
         static_cast<unsigned char>(one) >= 0x80;
}

template <class Table>
std::optional<double> value_in(const Table& table, Word word) {
  for (const Valued& entry : table) {
    if (entry.word == word)
      return entry.value;
  }
  return std::nullopt;
}

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
    if (is_digit(one))
      plain += one;
    else if (one == point)
      plain += '.';
  }
  return parsed(plain);
}

class QuantityReader {
 public:
  QuantityReader(std::string_view text, QuantityLanguage language)
      : language_(language), tokens_(plain_tokens(text)), is_used_(tokens_.size(), false) {
    for (std::string& token : tokens_) small_.push_back(lower_case(token));
  }

  Quantities read() {
    for (size_t at = 0; at < small_.size(); ++at) read_numeric_date(at);
    for (size_t at = 0; at < small_.size(); ++at) read_month(at);
    for (size_t at = 0; at < small_.size(); ++at) read_time(at);
    for (size_t at = 0; at < small_.size();) at = read_number(at);
    for (size_t at = 0; at < small_.size(); ++at) {
      if (!is_used_[at] && is_word_byte(small_[at].front()))
        found_.words.push_back(small_[at]);
    }
    return std::move(found_);
  }

 private:
  Word at(size_t place) const { return place < small_.size() ? Word(small_[place]) : Word(); }
  bool is_english() const { return language_ == QuantityLanguage::kEnglish; }
  void use(size_t begin, size_t end) {
    for (size_t place = begin; place < end; ++place) is_used_[place] = true;
  }
  void add_date(int64_t year, int64_t month, int64_t day) {
    if (is_day_of_month(day, month))
      found_.dates.push_back(
          {year < 100 ? year + (year < 50 ? 2000 : 1900) : year, month, {day}, false});
  }
  void add_date(const std::array<int64_t, 3>& parts) {
    if (parts[0] > 31)
      return add_date(parts[0], parts[1], parts[2]);
    add_date(parts[2], parts[1], parts[0]);
    if (parts[0] == parts[1] || !is_english())
      return;
    const bool has_first = is_day_of_month(parts[0], parts[1]);
    add_date(parts[2], parts[0], parts[1]);
    if (has_first && is_day_of_month(parts[1], parts[0]))
      found_.dates.back().is_other_reading = true;
  }

  /// 2003-03-01, 1/3/2003, 01.03.2003.
  void read_numeric_date(size_t begin) {
    const Word first = at(begin);
    const size_t point = first.find('.');
    const size_t second = point == Word::npos ? point : first.find('.', point + 1);
    if (second != Word::npos) {
      const std::array<int64_t, 3> parts = {
          plain_number(first.substr(0, point), 4),
          plain_number(first.substr(point + 1, second - point - 1), 2),
          plain_number(first.substr(second + 1), 4)};
      return take_parts(parts, begin, begin + 1);
    }
    const Word mark = at(begin + 1);
    if ((mark == "-" || mark == "/") && at(begin + 3) == mark)
      take_parts(
          {plain_number(first, 4), plain_number(at(begin + 2), 2), plain_number(at(begin + 4), 4)},
          begin,
          begin + 5);
  }
  void take_parts(const std::array<int64_t, 3>& parts, size_t begin, size_t end) {
    const size_t before = found_.dates.size();
    if (parts[0] > 0 && parts[1] > 0 && parts[2] > 0 && !is_used_[begin])
      add_date(parts);
    if (found_.dates.size() > before)
      use(begin, end);
  }

  int64_t month_at(size_t place) const {
    Word word = at(place);
    const auto& months = is_english() ? kEnglishMonths : kGermanMonths;
    if (const int64_t month = place_in(months, word))
      return month;
    if (word == "sept")
      return 9;
    return place_in(is_english() ? kShortEnglish : kShortGerman, word);
  }
  int64_t day_at(size_t place) const {
    return plain_number(at(place), 2) <= 31 ? plain_number(at(place), 2) : 0;
  }
  int64_t year_at(size_t place) const {
    const int64_t year = at(place).size() == 4 ? plain_number(at(place)) : 0;
    return year >= 1000 && year < 2100 ? year : 0;
  }

  void read_month(size_t place) {
    DateValue date{0, month_at(place), {}, false};
    if (date.month == 0)
      return;
    size_t begin = place, end = place + 1;
    take_day_before(begin, date);
    take_day_behind(end, date);
    size_t year = end;
    for (int skip = 0; skip < 3 && (at(year) == "," || at(year) == "." || at(year) == "of" ||
                                    is_one_of(at(year), kOrdinalEnds));
         ++skip)
      ++year;
    date.year = year_at(year);
    if (date.year > 0)
      end = year + 1;
    const bool is_verb =
        is_english() && (date.month == 3 || date.month == 5) && !has_capital(tokens_[place]);
    if (is_verb && date.days.empty() && date.year == 0)
      return;
    use(begin, end);
    found_.dates.push_back(std::move(date));
  }
  /// 1., 1st, 1st of.
  void take_day_before(size_t& begin, DateValue& date) {
    size_t place = begin;
    if (place > 0 && at(place - 1) == "of")
      --place;
    const auto word = place > 0 && is_english() ? small_number(at(place - 1)) : std::nullopt;
    if (word && *word > 0) {
      date.days.push_back(static_cast<int64_t>(*word));
      begin = place - 1;
      return;
    }
    if (place > 0 && is_one_of(at(place - 1), kOrdinalEnds))
      --place;
    if (place > 0 && day_at(place - 1) > 0 && !is_used_[place - 1]) {
      date.days.push_back(day_at(place - 1));
      begin = place - 1;
    }
  }
  void take_day_behind(size_t& end, DateValue& date) {
    size_t place = end;
    while (at(place) == "." || at(place) == "the") ++place;
    const size_t tens = place;
    int64_t day = is_english() ? day_at(place) : 0;
    if (is_english() && day == 0 && small_number(at(place))) {
      day = static_cast<int64_t>(*small_number(at(place)));
      if (at(place + 1) == "-" && small_number(at(place + 2))) {
        place += 2;
        day += static_cast<int64_t>(*small_number(at(place)));
      }
    }
    if (day > 0 && day <= 31) {
      date.days.push_back(day);
      end = std::max(tens, place) + 1;
      if (is_one_of(at(end), kOrdinalEnds) && at(end) != ".")
        ++end;
    }
  }

  /// 8:30, 8.30 Uhr, 8 pm.
  void read_time(size_t place) {
    const Word word = at(place);
    const size_t mark = word.find_first_of(":.");
    const Word behind = at(place + 1);
    const bool has_unit =
        behind == "uhr" || behind == "am" || behind == "pm" || behind == "a" || behind == "p";
    const bool is_whole = mark == Word::npos && has_unit && behind != "a";
    if (is_used_[place] || word.empty() || !is_digit(word.front()) ||
        (!is_whole && (mark == Word::npos || (word[mark] == '.' && !has_unit))))
      return;
    const int64_t hour = plain_number(word.substr(0, mark), 2);
    const Word minutes = is_whole ? Word() : word.substr(mark + 1);
    if (hour > 24 || minutes.size() > 2 || plain_number(minutes) > 59)
      return;
    found_.times.push_back((hour * 60 + plain_number(minutes)) % 720);
    use(place, has_unit ? place + 2 : place + 1);
  }

  std::optional<double> small_number(Word word) const {
    return is_english() ? value_in(kEnglishSmall, word) : value_in(kGermanSmall, word);
  }
  std::optional<double> scale(Word word) const {
    return is_english() ? value_in(kEnglishScaleWords, word) : value_in(kGermanScaleWords, word);
  }
  size_t behind_joint(size_t place) const {
    const bool joins = at(place) == "-" || at(place) == "and";
    return joins && (small_number(at(place + 1)) || scale(at(place + 1))) ? place + 1 : place;
  }

  /// Digits or number words, and scales behind them; returns the place behind.
  size_t read_number(size_t begin) {
    if (is_used_[begin])
      return begin + 1;
    const Word word = at(begin);
    const bool is_article = (word == "a" || word == "an") && scale(at(begin + 1));
    const auto first = is_digit(word.front()) ? std::optional(digits_number(word, language_))
                       : is_article           ? std::optional(1.0)
                                              : small_number(word);
    if (!first)
      return begin + 1;
    double total = 0, current = *first;
    size_t end = begin + 1;
    for (;;) {
      const size_t next = behind_joint(end);
      const auto more = small_number(at(next));
      const auto unit = scale(at(next));
      const bool is_tail = more && !is_digit(word.front()) && *more < 100 &&
                           std::fmod(current, *more < 10 ? 10 : 100) == 0 && current > 0;
      if (!is_tail && !unit)
        break;
      if (unit && *unit > 100) {
        total += current * *unit;
        current = 0;
      } else {
        current = unit ? current * *unit : current + *more;
      }
      end = next + 1;
    }
    found_.numbers.push_back(total + current);
    const bool has_space = is_digit(word.front()) && word.size() <= 3 && at(begin + 1).size() == 3;
    if (has_space && is_digit(at(begin + 1).front()))  // 176 000
      found_.numbers.push_back(*first * 1000 + static_cast<double>(plain_number(at(begin + 1))));
    if (is_digit(word.front()) && is_one_of(at(end), kOrdinalEnds) && at(end) != ".")
      ++end;
    use(begin, end);
    return end;
  }

  QuantityLanguage language_;
  std::vector<std::string> tokens_;
  std::vector<std::string> small_;
  std::vector<bool> is_used_;
  Quantities found_;
};

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
    return other == word || other == one || other == one + "s";
  });
}

}  // namespace

Quantities quantities_in(std::string_view text, QuantityLanguage language) {
  return QuantityReader(text, language).read();
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
         all(phrase.numbers, [&](double number) { return has_number(text, number); }) &&
         all(phrase.words, [&](const std::string& word) { return has_word(text, word); });
}

}  // namespace phraseq
