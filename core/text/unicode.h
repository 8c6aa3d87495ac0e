#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

/// Whitespace and lowercase for the whole program, from the tables of ICU. Text is UTF-8; invalid
/// bytes are rejected where files are read.
namespace phraseq {

/// Whitespace according to Python's `str.isspace`, and therefore to every `split` and `strip` in
/// sacrebleu and fairseq: U+0009-000D, 001C-001F, 0020, 0085, 00A0, 1680, 2000-200A, 2028, 2029,
/// 202F, 205F, 3000. Unicode's White_Space lacks 001C-001F; 200B and FEFF are in neither.
PHRASEQ_API bool is_space(char32_t character);
/// Whitespace according to Perl's `split` on bytes, and therefore to multi-bleu.perl: U+0009-000D
/// and 0020.
PHRASEQ_API bool is_ascii_space(char32_t character);

/// Splits at whitespace, like Python's `str.split()`.
PHRASEQ_API std::vector<std::string_view> split_whitespace(std::string_view text);
/// Splits at ASCII whitespace, like Perl's `split` on bytes.
PHRASEQ_API std::vector<std::string_view> split_ascii_whitespace(std::string_view text);
/// Joins the words, none of which may be empty, with single blanks.
template <class Words = std::vector<std::string_view>>
std::string join_words(const Words& words) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty())
      text += ' ';
    text += word;
  }
  return text;
}

/// Removes whitespace at the end; `strip` removes it at both ends.
PHRASEQ_API std::string_view strip_right(std::string_view text);
PHRASEQ_API std::string_view strip(std::string_view text);

/// Full Unicode lowercasing in the root locale, whatever LC_ALL is: `İ` becomes two code points,
/// and `Σ` at the end of a word `ς`. The same as Python's `str.lower()`.
PHRASEQ_API std::string to_lowercase(std::string_view text);

/// The code points of a text, with U+FFFD in place of each invalid sequence.
PHRASEQ_API std::u32string to_code_points(std::string_view text);
PHRASEQ_API void append_utf8(std::string& text, char32_t character);

}  // namespace phraseq
