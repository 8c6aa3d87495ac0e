#include "core/score/tokenizers/ter_tokenizer.h"

#include "core/score/tokenizers/punctuation_rules.h"
#include "core/text/replace_all.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

std::string normalize_western(std::string_view line) {
  std::string text = replace_all(std::string(line), "\n-", "");
  text = replace_all(std::move(text), "\n", " ");
  text = space_symbols(' ' + decode_entities(std::move(text)) + ' ');
  text = replace_all(std::move(text), "'s ", " 's ");
  return space_dashes_after_a_digit(
      space_marks_before_a_nondigit(space_marks_after_a_nondigit(text)));
}

bool is_within(char32_t character, char32_t first, char32_t last) {
  return character >= first && character <= last;
}

bool is_asian_punctuation(char32_t character) {
  return character == 0x3001 || character == 0x3002 || is_within(character, 0x3008, 0x3011) ||
         is_within(character, 0x3014, 0x301F) || is_within(character, 0xFF61, 0xFF65) ||
         character == 0x30FB;
}

bool is_full_width_punctuation(char32_t character) {
  constexpr std::u32string_view kMarks = U"．，？：；！＂（）";
  return kMarks.find(character) != std::u32string_view::npos;
}

bool is_asian_mark(char32_t character) {
  return is_asian_punctuation(character) || is_full_width_punctuation(character);
}

/// The characters that normalization separates from one another. The range of "enclosed letters"
/// ends at 3F22, a mistake for 32FF on which sacrebleu's scores depend.
bool stands_alone(char32_t character) {
  return is_within(character, 0x4E00, 0x9FFF) || is_within(character, 0x3400, 0x4DBF) ||
         is_within(character, 0x31C0, 0x31EF) || is_within(character, 0x2E80, 0x2EFF) ||
         is_within(character, 0x3300, 0x33FF) || is_within(character, 0xF900, 0xFAFF) ||
         is_within(character, 0xFE30, 0xFE4F) || is_within(character, 0x3200, 0x3F22) ||
         is_asian_mark(character);
}

std::string normalize_asian(std::string_view line) {
  std::string text;
  for (const char32_t character : to_code_points(line)) {
    const bool apart = stands_alone(character);
    if (apart)
      text += ' ';
    append_utf8(text, character);
    if (apart)
      text += ' ';
  }
  return text;
}

void remove_punctuation(std::string& text) {
  constexpr std::string_view kMarks = ".,?:;!\"()";
  std::erase_if(text, [&](char byte) { return kMarks.find(byte) != std::string_view::npos; });
}

std::string remove_asian_punctuation(std::string_view line) {
  std::string text;
  for (const char32_t character : to_code_points(line)) {
    if (!is_asian_mark(character))
      append_utf8(text, character);
  }
  return text;
}

}  // namespace

std::string tokenize_tercom(std::string_view line, const TerTokenizerSettings& settings) {
  std::string text = settings.case_sensitive ? std::string(line) : to_lowercase(line);
  if (settings.normalized) {
    text = normalize_western(text);
    if (settings.asian_support)
      text = normalize_asian(text);
  }
  if (settings.no_punct) {
    remove_punctuation(text);
    if (settings.asian_support)
      text = remove_asian_punctuation(text);
  }
  return join_words(split_whitespace(text));
}

}  // namespace phraseq::score
