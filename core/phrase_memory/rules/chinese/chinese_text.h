#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phraseq {

/// A sentence as characters, however it is divided into words, with the places of the word
/// boundaries.
class ChineseText {
 public:
  explicit ChineseText(std::span<const std::string> words);

  /// The characters, with numerals and what is next to them in their plain forms (plain_numeral).
  std::u32string_view characters() const { return characters_; }
  std::u32string_view before(size_t at) const { return characters().substr(0, at); }
  std::u32string_view after(size_t at) const { return characters().substr(at); }
  std::u32string_view between(size_t begin, size_t end) const {
    return characters().substr(begin, end - begin);
  }
  /// The character, or 0 after the end.
  char32_t at(size_t place) const { return place < characters_.size() ? characters_[place] : 0; }
  /// Whether a word begins at this character, or the sentence ends there.
  bool is_edge(size_t place) const {
    return place >= words_.size() || place == 0 || words_[place] != words_[place - 1];
  }
  /// The word that a character is in.
  size_t word_at(size_t place) const { return words_[place]; }

 private:
  std::u32string characters_;
  std::vector<size_t> words_;  ///< of each character
};

bool is_han(char32_t character);

/// Whether the text begins (ends) with one of the words.
template <class Words>
bool begins_with_any(std::u32string_view text, const Words& words) {
  for (const std::u32string_view word : words) {
    if (text.starts_with(word))
      return true;
  }
  return false;
}
template <class Words>
bool ends_with_any(std::u32string_view text, const Words& words) {
  for (const std::u32string_view word : words) {
    if (text.ends_with(word))
      return true;
  }
  return false;
}

}  // namespace phraseq
