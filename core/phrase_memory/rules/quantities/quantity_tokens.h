#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text_fields.h"
#include "core/phrase_memory/rules/quantities/quantities.h"

namespace phraseq {

/// The tokens of a text, in lower case, and which of them belong to a quantity that was read. Times
/// of two tokens (01: 20) are joined, and days are separated from years (30,1899).
class QuantityTokens {
 public:
  QuantityTokens(std::string_view text, QuantityLanguage language);

  size_t size() const { return small_.size(); }
  /// Places outside the text contain the empty word.
  std::string_view at(size_t place) const {
    return place < small_.size() ? std::string_view(small_[place]) : std::string_view();
  }
  const std::string& as_written(size_t place) const { return written_[place]; }

  QuantityLanguage language() const { return language_; }
  bool is_english() const { return language_ == QuantityLanguage::kEnglish; }

  bool is_used(size_t place) const { return is_used_[place]; }
  void use(size_t begin, size_t end);

 private:
  QuantityLanguage language_;
  std::vector<std::string> written_;
  std::vector<std::string> small_;
  std::vector<bool> is_used_;
};

/// The base of the readers of one kind of quantity: the tokens that they read, and what they find.
class QuantityReader {
 public:
  /// Both must outlive the object.
  QuantityReader(QuantityTokens& tokens, Quantities& found) : tokens_(tokens), found_(found) {}

 protected:
  std::string_view at(size_t place) const { return tokens_.at(place); }
  /// The value of a word below a hundred (small_number).
  std::optional<double> small_number_at(size_t place) const;

  QuantityTokens& tokens_;
  Quantities& found_;
};

/// A token that begins with a digit.
inline bool is_number_token(std::string_view word) {
  return !word.empty() && is_ascii_digit(word.front());
}
/// What follows the digits of an ordinal: st, nd, rd, th and, in German, a point.
bool is_ordinal_end(std::string_view word);

}  // namespace phraseq
