#include "core/score/tokenizers/tokenizer_char.h"

#include "core/text/unicode.h"

namespace phraseq::score {

std::string tokenize_char(std::string_view line) {
  std::string text;
  for (const char32_t character : to_code_points(line)) {
    append_utf8(text, character);
    text += ' ';
  }
  return text;
}

}  // namespace phraseq::score
