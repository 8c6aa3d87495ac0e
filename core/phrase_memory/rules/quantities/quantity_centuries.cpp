#include "core/phrase_memory/rules/quantities/quantity_centuries.h"

#include <array>

#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {
namespace {

using Word = std::string_view;

constexpr std::array<Word, 4> kCenturyWords = {"century", "centuries", "cent", "c"};

class CenturyReader : QuantityReader {
 public:
  using QuantityReader::QuantityReader;

  void read() {
    for (size_t place = 0; place < tokens_.size(); ++place) read_century(place);
  }

 private:
  static bool is_ordinal_word(Word word) {
    return word.ends_with("th") || word == "first" || word == "second" || word == "third";
  }
  /// The number of an ordinal that ends before this place; 0 when there is none.
  int64_t ordinal_before(size_t& place) const {
    const bool has_end = place > 1 && is_ordinal_end(at(place - 1));
    size_t begin = place - (has_end ? 2 : 1);
    if (has_end && plain_number(at(begin), 2) > 0) {
      place = begin;
      return plain_number(at(begin), 2);
    }
    const auto ones = small_number_at(begin);
    if (!ones || has_end || !is_ordinal_word(at(begin)))
      return 0;
    const bool has_tens = begin > 1 && at(begin - 1) == "-" && small_number_at(begin - 2);
    place = has_tens ? begin - 2 : begin;
    return static_cast<int64_t>(*ones + (has_tens ? *small_number_at(begin - 2) : 0));
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
        (is_short && !is_ordinal_end(at(place - 1))))
      return;
    for (size_t begin = at(place - 1) == "-" ? place - 1 : place; begin > 0;) {
      const int64_t century = ordinal_before(begin);
      if (century == 0)
        return;
      found_.centuries.push_back(century);
      tokens_.use(begin, place + 1);
      const Word link = begin > 1 ? at(begin - 1) : Word();
      if (link != "and" && link != "or" && link != "to" && link != "-")
        return;
      --begin;
    }
  }
  static bool is_quote(Word word) { return word == "'" || word == "’"; }
};

}  // namespace

void read_centuries(QuantityTokens& tokens, Quantities& found) {
  CenturyReader(tokens, found).read();
}

}  // namespace phraseq
