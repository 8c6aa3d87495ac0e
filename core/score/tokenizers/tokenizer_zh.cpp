#include "core/score/tokenizers/tokenizer_zh.h"

#include <algorithm>
#include <iterator>

#include "core/score/tokenizers/punctuation_rules.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

/// sacrebleu's table; its two mistaken ranges are listed as they take effect.
constexpr Range kChinese[] = {
    {0x3400, 0x4DB5},  // Unified Ideographs, Extension A
    {0x4E00, 0x9FA5},  // Unified Ideographs
    {0x9FA6, 0x9FBB},  // Unified Ideographs, release 4.1
    {0xF900, 0xFA2D},  // Compatibility Ideographs
    {0xFA30, 0xFA6A},  // Compatibility Ideographs, release 3.2
    {0xFA70, 0xFAD9},  // Compatibility Ideographs, release 4.1
    {0x2001, 0x2A6D},  // written "\u20000" to "\u2a6d6", meant as Extension B
    {0x2F81, 0x2FA1},  // written "\u2f800" to "\u2fa1d", meant as the Compatibility Supplement
    {0xFF00, 0xFFEF},  // full-width and half-width forms
    {0x2E80, 0x2EFF},  // radicals
    {0x3000, 0x303F},  // punctuation
    {0x31C0, 0x31EF},  // strokes
    {0x2F00, 0x2FDF},  // Kangxi radicals
    {0x2FF0, 0x2FFF},  // character structure
    {0x3100, 0x312F},  // Bopomofo
    {0x31A0, 0x31BF},  // Bopomofo, extended
    {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0x2600, 0x26FF},
    {0x2700, 0x27BF}, {0x3200, 0x32FF}, {0x3300, 0x33FF},
};

bool is_chinese(char32_t character) {
  return std::any_of(std::begin(kChinese), std::end(kChinese), [&](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

}  // namespace

std::string tokenize_zh(std::string_view line) {
  std::string text;
  for (const char32_t character : to_code_points(strip(line))) {
    const bool apart = is_chinese(character);
    if (apart)
      text += ' ';
    append_utf8(text, character);
    if (apart)
      text += ' ';
  }
  return apply_punctuation_rules(text);
}

}  // namespace phraseq::score
