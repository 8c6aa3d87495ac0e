#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace phraseq {

/// The words of a sentence by place; places outside contain the empty word.
class WordContext {
 public:
  explicit WordContext(std::span<const std::string> words) : words_(words) {}

  size_t size() const { return words_.size(); }
  std::string_view at(size_t place) const {
    return place < words_.size() ? std::string_view(words_[place]) : std::string_view();
  }
  /// The word before this place.
  std::string_view before(size_t place) const {
    return place == 0 ? std::string_view() : at(place - 1);
  }

 private:
  std::span<const std::string> words_;
};

/// Whether `words`, a list of texts, contains the word.
template <class Words>
bool is_one_of(std::string_view word, const Words& words) {
  for (const std::string_view other : words) {
    if (word == other)
      return true;
  }
  return false;
}

/// A text of digits only, at most `most` of them, as a number; 0 for any other text.
int64_t plain_number(std::string_view text, size_t most = 15);

/// Whether the word begins with a capital letter, A to Z.
bool has_capital(std::string_view word);
/// Whether the word consists only of the letters a to z.
bool is_small_word(std::string_view word);
/// A dash between numbers: - – — /
bool is_range_mark(std::string_view word);

}  // namespace phraseq
