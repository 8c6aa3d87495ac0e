#include "core/score/tokenizers/tokenizer_intl.h"

#include <unicode/uchar.h>

#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

bool in_category(char32_t character, uint32_t mask) {
  return (U_GET_GC_MASK(static_cast<UChar32>(character)) & mask) != 0;
}
bool is_number(char32_t character) { return in_category(character, U_GC_N_MASK); }
bool is_punctuation(char32_t character) { return in_category(character, U_GC_P_MASK); }
bool is_symbol(char32_t character) { return in_category(character, U_GC_S_MASK); }

std::u32string space_punctuation_after_a_nonnumber(const std::u32string& text) {
  std::u32string result;
  for (size_t at = 0; at < text.size(); ++at) {
    result += text[at];
    if (at + 1 == text.size() || is_number(text[at]) || !is_punctuation(text[at + 1]))
      continue;
    result += U' ';
    result += text[++at];
    result += U' ';
  }
  return result;
}

std::u32string space_punctuation_before_a_nonnumber(const std::u32string& text) {
  std::u32string result;
  for (size_t at = 0; at < text.size(); ++at) {
    if (at + 1 == text.size() || !is_punctuation(text[at]) || is_number(text[at + 1])) {
      result += text[at];
      continue;
    }
    result += U' ';
    result += text[at];
    result += U' ';
    result += text[++at];
  }
  return result;
}

}  // namespace

std::string tokenize_intl(std::string_view line) {
  const auto characters = space_punctuation_before_a_nonnumber(
      space_punctuation_after_a_nonnumber(to_code_points(line)));
  std::string result;
  for (const char32_t character : characters) {
    const bool apart = is_symbol(character);
    if (apart)
      result += ' ';
    append_utf8(result, character);
    if (apart)
      result += ' ';
  }
  return result;
}

}  // namespace phraseq::score
