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
#include "core/text/unicode.h"

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
constexpr std::array<Word, 12> kShortEnglish = {
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<Word, 12> kShortGerman = {
    "jan", "feb", "mrz", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"};
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
// Behind these a number is measured and no version: 12.5 % in German, 1,5 % in English.
constexpr std::array<Word, 27> kMeasures = {
    "%",      "percent", "prozent", "hz", "khz",  "mhz",  "ghz",   "mm",     "cm",
    "m",      "km",      "kg",      "g",  "ms",   "s",    "euro",  "euros",  "€",
    "dollar", "dollars", "grad",    "°",  "days", "tage", "meter", "meters", "points"};
constexpr std::array<Word, 4> kCenturyWords = {"century", "centuries", "cent", "c"};
constexpr std::array<Word, 7> kMonthLinks = {"to", "and", "or", "through", "until", "bis", "und"};
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

/// 1,5 in English or 1.5 in German: a mark in front of other than three digits groups none.
std::optional<double> foreign_decimal(Word digits, QuantityLanguage language) {
  const size_t mark = digits.find(language == QuantityLanguage::kEnglish ? ',' : '.');
  if (mark == Word::npos || digits.find_first_of(".,:", mark + 1) != Word::npos ||
      digits.find_first_of(".,:") != mark || digits.size() == mark + 4)
    return std::nullopt;
  return parsed(std::string(digits.substr(0, mark)) + '.' + std::string(digits.substr(mark + 1)));
}

bool is_number_token(Word word) { return !word.empty() && is_digit(word.front()); }

/// December 30,1899: the day and the year of a date without a blank.
bool is_day_and_year(Word word) {
  const size_t comma = word.find(',');
  return comma != Word::npos && comma <= 2 && word.size() == comma + 5 &&
         plain_number(word.substr(comma + 1)) >= 1000 && plain_number(word.substr(0, comma)) > 0;
}

/// The tokens with times of two tokens joined, 01: 20, and days cut off from years.
std::vector<std::string> quantity_tokens(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::string& token : plain_tokens(text)) {
    const size_t size = tokens.size();
    const bool is_minute = token.size() == 2 && is_digit(token.front());
    if (is_minute && size > 1 && tokens[size - 1] == ":" && tokens[size - 2].size() <= 2 &&
        is_digit(tokens[size - 2].front())) {
      tokens.pop_back();
      tokens.back() += ':' + token;
    } else if (is_day_and_year(token)) {
      const size_t comma = token.find(',');
      tokens.push_back(token.substr(0, comma));
      tokens.emplace_back(",");
      tokens.push_back(token.substr(comma + 1));
    } else {
      tokens.push_back(std::move(token));
    }
  }
  return tokens;
}

class QuantityReader {
 public:
  QuantityReader(std::string_view text, QuantityLanguage language)
      : language_(language), tokens_(quantity_tokens(text)), is_used_(tokens_.size(), false) {
    for (std::string& token : tokens_) small_.push_back(to_lowercase(token));
  }

  Quantities read() {
    for (size_t at = 0; at < small_.size(); ++at) read_numeric_date(at);
    for (size_t at = 0; at < small_.size(); ++at) read_month(at);
    for (size_t at = 0; at < small_.size(); ++at) read_time(at);
    for (size_t at = 0; is_english() && at < small_.size(); ++at) {
      read_spoken_time(at);
      read_century(at);
    }
    for (size_t at = 0; at < small_.size();) at = read_number(at);
    for (size_t at = 0; at < small_.size(); ++at) {
      if (!is_used_[at] && is_word_byte(small_[at].front()))
        add_word(at);
    }
    return std::move(found_);
  }

 private:
  void add_word(size_t place) {
    found_.words.push_back(small_[place]);
    if (place == 0 || !is_number_token(at(place - 1)) || is_decade(place))
      return;
    for (const Alias& alias : kUnitAliases) {  // 85mph
      if (alias.text == at(place))
        found_.words.emplace_back(alias.unit);
    }
  }
  /// 1930s are no seconds.
  bool is_decade(size_t place) const {
    const Word number = at(place - 1);
    return at(place) == "s" && number.size() == 4 && number.back() == '0';
  }
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
    if (!is_english() && second == Word::npos && point != Word::npos && at(begin + 1) == ".")
      read_day_and_month(begin, point);
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
  /// 26.12.
  void read_day_and_month(size_t place, size_t point) {
    const int64_t day = plain_number(at(place).substr(0, point), 2);
    const int64_t month = plain_number(at(place).substr(point + 1), 2);
    if (day > 0 && month > 0 && is_day_of_month(day, month))
      found_.dates.push_back({0, month, {day}, false});
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
    share_year(date, begin, end);
    found_.dates.push_back(std::move(date));
  }
  /// June to August 2010: both months are of 2010.
  void share_year(const DateValue& date, size_t begin, size_t end) {
    if (linked_month_ > 0 && begin == linked_month_ && date.year > 0 &&
        found_.dates.back().year == 0)
      found_.dates.back().year = date.year;
    const bool is_linked = is_range_mark(at(end)) || is_one_of(at(end), kMonthLinks);
    linked_month_ = is_linked && month_at(end + 1) > 0 ? end + 1 : 0;
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
    const bool has_ordinal = is_one_of(at(place + 2), kOrdinalEnds) && at(place + 2) != ".";
    if (at(place) == "," && has_ordinal)  // January, 1st
      ++place;
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
    const bool has_unit = behind == "uhr" || (behind == "h" && !is_english()) || behind == "am" ||
                          behind == "pm" || behind == "a" || behind == "p";
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

  /// A quarter past eleven, half past eight, ten past nine, quarter to one; one forty-five.
  void read_spoken_time(size_t place) {
    const Word word = at(place);
    const auto minutes = word == "quarter" ? std::optional(15.0)
                         : word == "half"  ? std::optional(30.0)
                                           : small_number(word);
    const size_t link = at(place + 1) == "minutes" ? place + 2 : place + 1;
    const bool is_before = at(link) == "to" && word == "quarter";
    if (minutes && (at(link) == "past" || is_before)) {
      const auto word_hour = small_number(at(link + 1));
      const int64_t hour =
          word_hour ? static_cast<int64_t>(*word_hour) : plain_number(at(link + 1), 2);
      if (hour > 0 && hour <= 12)
        found_.times.push_back((hour * 60 + static_cast<int64_t>(is_before ? -15 : *minutes)) %
                               720);
      return;
    }
    const auto tens = small_number(at(place + 1));
    if (!minutes || *minutes < 1 || *minutes > 12 || !tens || *tens < 10 || *tens > 50)
      return;
    const auto ones = at(place + 2) == "-" ? small_number(at(place + 3)) : std::nullopt;
    const double minute = *tens + (ones && *ones < 10 && *tens >= 20 ? *ones : 0);
    found_.times.push_back(static_cast<int64_t>(*minutes * 60 + minute) % 720);
  }

  static bool is_ordinal_word(Word word) {
    return word.ends_with("th") || word == "first" || word == "second" || word == "third";
  }
  /// The number of an ordinal that ends before this place; 0 when there is none.
  int64_t ordinal_before(size_t& place) const {
    const bool has_end = place > 1 && is_one_of(at(place - 1), kOrdinalEnds);
    size_t begin = place - (has_end ? 2 : 1);
    if (has_end && plain_number(at(begin), 2) > 0) {
      place = begin;
      return plain_number(at(begin), 2);
    }
    const auto ones = small_number(at(begin));
    if (!ones || has_end || !is_ordinal_word(at(begin)))
      return 0;
    const bool has_tens = begin > 1 && at(begin - 1) == "-" && small_number(at(begin - 2));
    place = has_tens ? begin - 2 : begin;
    return static_cast<int64_t>(*ones + (has_tens ? *small_number(at(begin - 2)) : 0));
  }

  /// 19th century, 16th and 17th centuries, late 4th cent., the 1800s, 1800's.
  void read_century(size_t place) {
    const int64_t year = plain_number(at(place), 4);
    const bool has_ending =
        at(place + 1) == "s" || (is_quote(at(place + 1)) && at(place + 2) == "s");
    if (year >= 500 && year % 100 == 0 && has_ending)
      found_.centuries.push_back(year / 100 + 1);
    const bool is_short = at(place) == "c" || at(place) == "cent";
    if (place == 0 || !is_one_of(at(place), kCenturyWords) ||
        (is_short && !is_one_of(at(place - 1), kOrdinalEnds)))
      return;
    for (size_t begin = at(place - 1) == "-" ? place - 1 : place; begin > 0;) {
      const int64_t century = ordinal_before(begin);
      if (century == 0)
        return;
      found_.centuries.push_back(century);
      use(begin, place + 1);
      const Word link = begin > 1 ? at(begin - 1) : Word();
      if (link != "and" && link != "or" && link != "to" && link != "-")
        return;
      --begin;
    }
  }
  static bool is_quote(Word word) { return word == "'" || word == "’"; }

  std::optional<double> small_number(Word word) const {
    if (is_english() && word.size() > 6 && word.ends_with("ties"))  // twenties
      return value_in(kEnglishSmall, std::string(word.substr(0, word.size() - 3)) + "y");
    return is_english() ? value_in(kEnglishSmall, word) : value_in(kGermanSmall, word);
  }
  std::optional<double> scale(Word word) const {
    return is_english() ? value_in(kEnglishScaleWords, word) : value_in(kGermanScaleWords, word);
  }
  size_t behind_joint(size_t place) const {
    const bool joins = at(place) == "-" || at(place) == "and";
    return joins && (small_number(at(place + 1)) || scale(at(place + 1))) ? place + 1 : place;
  }

  /// The value of a token of digits: that of a number with a foreign decimal mark where it is
  /// measured.
  double token_value(size_t place) const {
    const auto foreign = foreign_decimal(at(place), language_);
    const Word behind = at(place + 1);
    const bool is_measured =
        scale(behind) || (is_one_of(behind, kMeasures) && at(place + 2) != "}");
    return foreign && is_measured ? *foreign : digits_number(at(place), language_);
  }
  /// 176 000, 3 000 000 000.
  void add_spaced_groups(size_t begin, double first) {
    double value = first;
    size_t place = begin + 1;
    for (; at(place).size() == 3 && is_digit(at(place).front()) &&
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

  /// Digits or number words, and scales behind them; returns the place behind.
  size_t read_number(size_t begin) {
    if (is_used_[begin] || is_unit_second(begin))
      return begin + 1;
    const Word word = at(begin);
    const bool is_article = (word == "a" || word == "an") && scale(at(begin + 1));
    const auto first = is_digit(word.front()) ? std::optional(token_value(begin))
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
                           (current > 0 ? std::fmod(current, *more < 10 ? 10 : 100) == 0
                                        : total > 0 && at(end) == "and");  // a thousand and one
      if (!is_tail && !unit)
        break;
      if (unit && *unit > 100) {
        total = current > 0 ? total + current * *unit : total * *unit;  // 3 thousand million
        current = 0;
      } else {
        current = unit ? current * *unit : current + *more;
      }
      end = next + 1;
    }
    found_.numbers.push_back(total + current);
    if (is_digit(word.front()))
      add_spaced_groups(begin, *first);
    if (is_digit(word.front()) && is_one_of(at(end), kOrdinalEnds) && at(end) != ".")
      ++end;
    use(begin, end);
    return end;
  }

  QuantityLanguage language_;
  std::vector<std::string> tokens_;
  std::vector<std::string> small_;
  std::vector<bool> is_used_;
  size_t linked_month_ = 0;  ///< the month behind that shares its year with the last date
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
    const bool is_many =
        other.ends_with("ies") && other.substr(0, other.size() - 3) + "y" == word;  // centuries
    return is_many || other == word || other == one || other == one + "s";
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
         all(phrase.centuries,
             [&](int64_t century) {
               return std::find(text.centuries.begin(), text.centuries.end(), century) !=
                      text.centuries.end();
             }) &&
         all(phrase.numbers, [&](double number) { return has_number(text, number); }) &&
         all(phrase.words, [&](const std::string& word) { return has_word(text, word); });
}

}  // namespace phraseq
