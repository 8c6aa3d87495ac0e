#include "core/phrase_memory/rules/chinese/chinese_text.h"

#include "core/io/utf8.h"
#include "core/phrase_memory/rules/chinese/chinese_numerals.h"

namespace phraseq {

ChineseText::ChineseText(std::span<const std::string> words) {
  for (size_t word = 0; word < words.size(); ++word) {
    for (size_t at = 0; at < words[word].size();) {
      characters_ += plain_numeral(next_character(words[word], at));
      words_.push_back(word);
    }
  }
}

bool is_han(char32_t character) { return character >= U'\u4E00' && character <= U'\u9FFF'; }

}  // namespace phraseq
