#include "core/text/word_tokenizer.h"

#include "core/text/unicode.h"

namespace phraseq {

std::vector<std::string> WordTokenizer::encode(std::string_view line) const {
  const std::string lowered = lowercase_ ? to_lowercase(line) : std::string();
  const auto words = split_whitespace(lowercase_ ? lowered : line);
  return {words.begin(), words.end()};
}

std::string WordTokenizer::decode(const std::vector<std::string>& symbols) const {
  return join_words(symbols);
}

}  // namespace phraseq
