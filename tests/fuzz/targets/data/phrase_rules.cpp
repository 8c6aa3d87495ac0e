// The words of a sentence, in which the rules of each language look for numbers, dates and names.

#include "core/phrase_memory/rules/phrase_rules.h"

#include "core/io/utf8.h"
#include "core/text/unicode.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace phraseq;

void check_places(PhraseRules rules, const std::vector<std::string>& words) {
  int64_t end = 0;
  for (const RulePhrase& phrase : find_rule_phrases(rules, words)) {
    if (phrase.begin < end || phrase.begin >= static_cast<int64_t>(words.size()))
      throw std::logic_error("a phrase overlaps another one, or is outside of the sentence");
    end = phrase.begin + 1;
  }
  rule_category(rules, words);
}

}  // namespace

PHRASEQ_FUZZ_TARGET(phrase_rules) {
  const std::string line = repair_text(fuzz::text_of(data, size), ControlBytes::kReject);
  std::vector<std::string> words;
  for (const std::string_view word : split_whitespace(line)) words.emplace_back(word);
  return fuzz::check([&] {
    for (const PhraseRules rules :
         {PhraseRules::kChineseEnglish, PhraseRules::kEnglishGerman, PhraseRules::kGermanEnglish})
      check_places(rules, words);
  });
}
