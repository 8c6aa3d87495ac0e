#include "core/phrase_memory/rules/quantities/quantity_dates.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/phrase_memory/rules/calendar.h"
#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {
namespace {

using Word = std::string_view;

constexpr std::array<Word, 12> kShortEnglish = {
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<Word, 12> kShortGerman = {
    "jan", "feb", "mrz", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"};
constexpr std::array<Word, 7> kMonthLinks = {"to", "and", "or", "through", "until", "bis", "und"};

class DateReader : QuantityReader {
 public:
  using QuantityReader::QuantityReader;

  void read() {
    for (size_t place = 0; place < tokens_.size(); ++place) read_numeric_date(place);
    for (size_t place = 0; place < tokens_.size(); ++place) read_month(place);
  }

 private:
  void add_date(int64_t year, int64_t month, int64_t day) {
    if (is_day_of_month(day, month))
      found_.dates.push_back(
          {year < 100 ? year + (year < 50 ? 2000 : 1900) : year, month, {day}, false});
  }
  void add_date(const std::array<int64_t, 3>& parts) {
    if (parts[0] > 31)
      return add_date(parts[0], parts[1], parts[2]);
    add_date(parts[2], parts[1], parts[0]);
    if (parts[0] == parts[1] || !tokens_.is_english())
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
    if (!tokens_.is_english() && second == Word::npos && point != Word::npos &&
        at(begin + 1) == ".")
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
    if (parts[0] > 0 && parts[1] > 0 && parts[2] > 0 && !tokens_.is_used(begin))
      add_date(parts);
    if (found_.dates.size() > before)
      tokens_.use(begin, end);
  }

  int64_t month_at(size_t place) const {
    Word word = at(place);
    const auto& months = tokens_.is_english() ? kEnglishMonths : kGermanMonths;
    if (const int64_t month = place_in(months, word))
      return month;
    if (word == "sept")
      return 9;
    return place_in(tokens_.is_english() ? kShortEnglish : kShortGerman, word);
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
                                    is_ordinal_end(at(year)));
         ++skip)
      ++year;
    date.year = year_at(year);
    if (date.year > 0)
      end = year + 1;
    const bool is_verb = tokens_.is_english() && (date.month == 3 || date.month == 5) &&
                         !has_capital(tokens_.as_written(place));
    if (is_verb && date.days.empty() && date.year == 0)
      return;
    tokens_.use(begin, end);
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
    const auto word = place > 0 && tokens_.is_english() ? small_number_at(place - 1) : std::nullopt;
    if (word && *word > 0) {
      date.days.push_back(static_cast<int64_t>(*word));
      begin = place - 1;
      return;
    }
    if (place > 0 && is_ordinal_end(at(place - 1)))
      --place;
    if (place > 0 && day_at(place - 1) > 0 && !tokens_.is_used(place - 1)) {
      date.days.push_back(day_at(place - 1));
      begin = place - 1;
    }
  }
  void take_day_behind(size_t& end, DateValue& date) {
    size_t place = end;
    const bool has_ordinal = is_ordinal_end(at(place + 2)) && at(place + 2) != ".";
    if (at(place) == "," && has_ordinal)  // January, 1st
      ++place;
    while (at(place) == "." || at(place) == "the") ++place;
    const size_t tens = place;
    int64_t day = tokens_.is_english() ? day_at(place) : 0;
    if (tokens_.is_english() && day == 0 && small_number_at(place)) {
      day = static_cast<int64_t>(*small_number_at(place));
      if (at(place + 1) == "-" && small_number_at(place + 2)) {
        place += 2;
        day += static_cast<int64_t>(*small_number_at(place));
      }
    }
    if (day > 0 && day <= 31) {
      date.days.push_back(day);
      end = std::max(tens, place) + 1;
      if (is_ordinal_end(at(end)) && at(end) != ".")
        ++end;
    }
  }

  size_t linked_month_ = 0;  ///< the month after that shares its year with the last date
};

}  // namespace

void read_dates(QuantityTokens& tokens, Quantities& found) { DateReader(tokens, found).read(); }

}  // namespace phraseq
