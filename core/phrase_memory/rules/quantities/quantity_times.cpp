#include "core/phrase_memory/rules/quantities/quantity_times.h"

#include <optional>

#include "core/base/text_fields.h"
#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {
namespace {

using Word = std::string_view;

constexpr int64_t kHalfDay = 720;  // minutes

class TimeReader : QuantityReader {
 public:
  using QuantityReader::QuantityReader;

  void read() {
    for (size_t place = 0; place < tokens_.size(); ++place) read_time(place);
    for (size_t place = 0; tokens_.is_english() && place < tokens_.size(); ++place) {
      if (!read_minutes_of_hour(place))
        read_hour_and_minutes(place);
    }
  }

 private:
  /// 8:30, 8.30 Uhr, 8 pm.
  void read_time(size_t place) {
    const Word word = at(place);
    const size_t mark = word.find_first_of(":.");
    const Word after = at(place + 1);
    const bool has_unit = after == "uhr" || (after == "h" && !tokens_.is_english()) ||
                          after == "am" || after == "pm" || after == "a" || after == "p";
    const bool is_whole = mark == Word::npos && has_unit && after != "a";
    if (tokens_.is_used(place) || word.empty() || !is_ascii_digit(word.front()) ||
        (!is_whole && (mark == Word::npos || (word[mark] == '.' && !has_unit))))
      return;
    const int64_t hour = plain_number(word.substr(0, mark), 2);
    const Word minutes = is_whole ? Word() : word.substr(mark + 1);
    if (hour > 24 || minutes.size() > 2 || plain_number(minutes) > 59)
      return;
    found_.times.push_back((hour * 60 + plain_number(minutes)) % kHalfDay);
    tokens_.use(place, has_unit ? place + 2 : place + 1);
  }

  std::optional<double> spoken_minutes_at(size_t place) const {
    if (at(place) == "quarter")
      return 15.0;
    return at(place) == "half" ? std::optional(30.0) : small_number_at(place);
  }

  /// A quarter past eleven, half past eight, ten past nine, quarter to one. False when there is no
  /// such expression.
  bool read_minutes_of_hour(size_t place) {
    const auto minutes = spoken_minutes_at(place);
    const size_t link = at(place + 1) == "minutes" ? place + 2 : place + 1;
    const bool is_before = at(link) == "to" && at(place) == "quarter";
    if (!minutes || !(at(link) == "past" || is_before))
      return false;
    const auto word_hour = small_number_at(link + 1);
    const int64_t hour =
        word_hour ? static_cast<int64_t>(*word_hour) : plain_number(at(link + 1), 2);
    if (hour > 0 && hour <= 12)
      found_.times.push_back((hour * 60 + static_cast<int64_t>(is_before ? -15 : *minutes)) %
                             kHalfDay);
    return true;
  }

  /// One forty-five, eight thirty.
  void read_hour_and_minutes(size_t place) {
    const auto hour = small_number_at(place);
    const auto tens = small_number_at(place + 1);
    if (!hour || *hour < 1 || *hour > 12 || !tens || *tens < 10 || *tens > 50)
      return;
    const auto ones = at(place + 2) == "-" ? small_number_at(place + 3) : std::nullopt;
    const double minute = *tens + (ones && *ones < 10 && *tens >= 20 ? *ones : 0);
    found_.times.push_back(static_cast<int64_t>(*hour * 60 + minute) % kHalfDay);
  }
};

}  // namespace

void read_times(QuantityTokens& tokens, Quantities& found) { TimeReader(tokens, found).read(); }

}  // namespace phraseq
