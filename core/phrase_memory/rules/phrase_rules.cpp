#include "core/phrase_memory/rules/phrase_rules.h"

#include <algorithm>

#include "core/phrase_memory/rules/chinese/rules_chinese_english.h"
#include "core/phrase_memory/rules/english_german/rules_english_german.h"
#include "core/phrase_memory/rules/english_german/rules_german_english.h"
#include "core/phrase_memory/rules/rule_findings.h"

namespace phraseq {
namespace {

std::vector<RuleFinding> findings(PhraseRules rules, std::span<const std::string> sentence) {
  switch (rules) {
    case PhraseRules::kChineseEnglish:
      return chinese_english_findings(sentence);
    case PhraseRules::kEnglishGerman:
      return english_german_findings(sentence);
    case PhraseRules::kGermanEnglish:
      return german_english_findings(sentence);
    case PhraseRules::kNone:
      break;
  }
  return {};
}

}  // namespace

std::vector<RulePhrase> find_rule_phrases(PhraseRules rules, std::span<const std::string> words) {
  std::vector<RulePhrase> found;
  for (RuleFinding& finding : findings(rules, words)) {
    const auto source = words.subspan(finding.begin, finding.length);
    RulePhrase& phrase = found.emplace_back();
    phrase.begin = static_cast<int64_t>(finding.begin);
    phrase.rule = std::move(finding.rule);
    phrase.entry.source.assign(source.begin(), source.end());
    phrase.entry.target = phrase_words(finding.target);
    phrase.entry.category = std::move(finding.category);
  }
  std::stable_sort(found.begin(), found.end(), [](const RulePhrase& one, const RulePhrase& other) {
    return one.begin < other.begin;
  });
  return found;
}

std::optional<std::string> rule_category(PhraseRules rules, std::span<const std::string> words) {
  for (const RuleFinding& finding : findings(rules, words)) {
    if (finding.length == words.size())
      return finding.category;
  }
  return std::nullopt;
}

}  // namespace phraseq
