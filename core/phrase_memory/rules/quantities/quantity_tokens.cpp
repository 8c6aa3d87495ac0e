#include "core/phrase_memory/rules/quantities/quantity_tokens.h"

#include <array>
#include <utility>

#include "core/base/text_fields.h"
#include "core/phrase_memory/rules/plain_tokens.h"
#include "core/phrase_memory/rules/quantities/number_words.h"
#include "core/phrase_memory/rules/word_context.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

constexpr std::array<std::string_view, 5> kOrdinalEnds = {"st", "nd", "rd", "th", "."};

/// December 30,1899: the day and the year of a date without a blank.
bool is_day_and_year(std::string_view word) {
  const size_t comma = word.find(',');
  return comma != std::string_view::npos && comma <= 2 && word.size() == comma + 5 &&
         plain_number(word.substr(comma + 1)) >= 1000 && plain_number(word.substr(0, comma)) > 0;
}

/// The tokens with times of two tokens joined, 01: 20, and days cut off from years.
std::vector<std::string> quantity_tokens(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::string& token : plain_tokens(text)) {
    const size_t size = tokens.size();
    const bool is_minute = token.size() == 2 && is_ascii_digit(token.front());
    if (is_minute && size > 1 && tokens[size - 1] == ":" && tokens[size - 2].size() <= 2 &&
        is_ascii_digit(tokens[size - 2].front())) {
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

}  // namespace

QuantityTokens::QuantityTokens(std::string_view text, QuantityLanguage language)
    : language_(language), written_(quantity_tokens(text)), is_used_(written_.size(), false) {
  for (const std::string& token : written_) small_.push_back(to_lowercase(token));
}

void QuantityTokens::use(size_t begin, size_t end) {
  for (size_t place = begin; place < end; ++place) is_used_[place] = true;
}

std::optional<double> QuantityReader::small_number_at(size_t place) const {
  return small_number(at(place), tokens_.language());
}

bool is_ordinal_end(std::string_view word) { return is_one_of(word, kOrdinalEnds); }

}  // namespace phraseq
