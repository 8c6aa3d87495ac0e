#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The sentences of a text and what is before, between and after them: gaps[0] sentences[0] gaps[1]
/// … gaps[n] is the text.
struct TextLayout {
  std::vector<std::string> sentences;
  std::vector<std::string> gaps;
};

/// Each line that is not blank as a sentence. Lines are those of LineReader: they end in "\n" or
/// "\r\n"; a byte-order mark at the beginning belongs to no line.
PHRASEQ_API TextLayout lay_out_lines(std::string_view text);

/// The sentences of a line, with the whitespace around them as gaps. The ends of sentences are
/// found by the rules of the Unicode standard (annex 29) and the abbreviations that ICU knows in
/// the language.
PHRASEQ_API TextLayout lay_out_sentences(std::string_view line, const std::string& language);

/// Adds the layout of the text that follows.
PHRASEQ_API void append_layout(TextLayout& layout, const TextLayout& part);

/// The name of a language for people: "de" is "German"; the code itself if it is unknown.
PHRASEQ_API std::string language_name(const std::string& code);

}  // namespace phraseq
