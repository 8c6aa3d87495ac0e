#include "core/phrase_memory/rules/latin_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/text_fields.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

constexpr size_t kLatinMostWords = 10;

bool is_latin_word(const std::string& word) {
  const auto belongs = [&](char one) {
    return is_ascii_letter(one) || is_ascii_digit(one) || one == '-' || one == '.' || one == '\'';
  };
  return is_ascii_letter(word.front()) && std::all_of(word.begin(), word.end(), belongs);
}

/// Whether a word beside Latin letters says that they are not a whole word: _, #, é.
bool latin_goes_on(const std::string& word) {
  size_t at = 0;
  const char32_t first = next_character(word, at);
  return word == "_" || word == "#" || (first >= 0xC0 && first < 0x250);
}

/// Words that English writes in another form than Chinese texts do (IDs, raw, null), one at a time.
bool is_often_changed(std::span<const std::string> words, size_t begin, size_t end) {
  constexpr std::array<std::string_view, 12> kWords = {
      "ID", "RAW", "NULL", "Alpha", "UV", "Web", "EXIF", "Shell", "APP", "App", "MM", "U"};
  return end == begin + 1 && std::find(kWords.begin(), kWords.end(), words[begin]) != kWords.end();
}

/// A key to press: ( F ).
bool is_key(std::span<const std::string> words, size_t at) {
  const bool is_open = at > 0 && (words[at - 1] == "(" || words[at - 1] == "（");
  const bool is_closed = at + 1 < words.size() && (words[at + 1] == ")" || words[at + 1] == "）");
  return words[at].size() == 1 && is_open && is_closed;
}

bool is_whole(std::span<const std::string> words, size_t begin, size_t end) {
  const bool continues = end < words.size() && latin_goes_on(words[end]);
  return !continues && !(begin > 0 && latin_goes_on(words[begin - 1]));
}

}  // namespace

std::vector<LatinWords> latin_words(std::span<const std::string> words) {
  std::vector<LatinWords> found;
  for (size_t begin = 0; begin < words.size();) {
    size_t end = begin;
    while (end < words.size() && end - begin < kLatinMostWords && is_latin_word(words[end])) ++end;
    if (end > begin && is_whole(words, begin, end) && !is_key(words, begin) &&
        !is_often_changed(words, begin, end))
      found.push_back({begin, end - begin});
    begin = std::max(end, begin + 1);
  }
  return found;
}

}  // namespace phraseq
