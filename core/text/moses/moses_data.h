#pragma once

#include <span>
#include <string_view>

namespace phraseq::moses {

/// Code points from `first` to `last`.
struct Range {
  char32_t first, last;
};

/// The character classes of sacremoses's regular expressions.
enum class CharacterClass {
  kAlnum,
  kAlpha,
  kAlphaDetokenizer,  ///< without the viramas and nuktas of Indic scripts
  kNumber,
  kCurrency,
  kLower,
  kHan,
  kHangul,
  kKana,
};

std::span<const Range> ranges_of(CharacterClass which);

/// The abbreviations of a language, one per line; some end in " #NUMERIC_ONLY#".
struct LanguagePrefixes {
  std::string_view language;
  std::string_view lines;
};

/// The prefixes of all languages.
std::span<const LanguagePrefixes> nonbreaking_prefixes();

}  // namespace phraseq::moses
