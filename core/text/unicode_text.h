#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

/// The scorer: BLEU, chrF and TER with sacrebleu's rules and numbers, and what makes a difference
/// between two systems believable. All text is UTF-8; what is not is rejected where files are read.
namespace phraseq::score {

/// What Python calls whitespace, and so every `split` and `strip` of sacrebleu: U+0009-000D,
/// 001C-001F, 0020, 0085, 00A0, 1680, 2000-200A, 2028, 2029, 202F, 205F, 3000. Unicode's
/// White_Space lacks 001C-001F; 200B and FEFF are in neither.
PHRASEQ_API bool is_space(char32_t character);

/// Without trailing whitespace; without any at either end; the words between whitespace.
PHRASEQ_API std::string_view strip_right(std::string_view text);
PHRASEQ_API std::string_view strip(std::string_view text);
PHRASEQ_API std::vector<std::string_view> split(std::string_view text);

/// The words between ASCII whitespace, and the ASCII letters lowercased: what Perl does with
/// bytes.
PHRASEQ_API std::vector<std::string_view> split_ascii(std::string_view text);
PHRASEQ_API std::string lowercase_ascii(std::string_view text);

/// The words joined by single blanks.
PHRASEQ_API std::string join(const std::vector<std::string_view>& words);

/// Full Unicode lowercasing in the root locale: `İ` becomes two code points, `Σ` ending a word
/// `ς`.
PHRASEQ_API std::string lowercase(std::string_view text);

PHRASEQ_API std::u32string to_code_points(std::string_view text);
PHRASEQ_API void append_utf8(std::string& text, char32_t character);

/// The Unicode version that character categories and lowercasing follow, "15.0".
PHRASEQ_API std::string unicode_version();

}  // namespace phraseq::score
