#include "core/phrase_memory/rules/chinese/rules_chinese_english.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/phrase_memory/rules/chinese/chinese_names.h"
#include "core/phrase_memory/rules/chinese/chinese_text.h"
#include "core/phrase_memory/rules/chinese/numeral_scanner.h"
#include "core/phrase_memory/rules/latin_words.h"

namespace phraseq {
namespace {

bool is_free(const std::vector<RuleFinding>& found, size_t begin, size_t length) {
  return std::none_of(found.begin(), found.end(), [&](const RuleFinding& other) {
    return begin < other.begin + other.length && other.begin < begin + length;
  });
}

/// Names beside a title; of two that overlap the one further left.
void find_names(std::span<const std::string> sentence, std::vector<RuleFinding>& found) {
  for (size_t begin = 0; begin < sentence.size(); ++begin) {
    const auto name = chinese_name_at(sentence, begin);
    if (name && is_free(found, begin, name->length))
      found.push_back({begin, name->length, name->pinyin, "names", "name beside a title"});
  }
}

}  // namespace

std::vector<RuleFinding> chinese_english_findings(std::span<const std::string> sentence) {
  std::vector<RuleFinding> found;
  const ChineseText text(sentence);
  find_chinese_numerals(text, found);
  for (const LatinWords& words : latin_words(sentence)) {
    const auto copied = sentence.subspan(words.begin, words.length);
    found.push_back({words.begin,
                     words.length,
                     fmt::format("{}", fmt::join(copied, " ")),
                     "names",
                     "Latin letters"});
  }
  find_names(sentence, found);
  return found;
}

}  // namespace phraseq
