#include "core/phrase_memory/rules/phrase_rules.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr size_t kLongestWindow = 10;  // words; 二 〇 〇 三 年 三 月 一 日 is nine

std::optional<RuleTranslation> translate(PhraseRules rules, const RuleWindow& window) {
  switch (rules) {
    case PhraseRules::kChineseEnglish:
      return chinese_english_rule(window);
    case PhraseRules::kEnglishGerman:
      return english_german_rule(window);
    case PhraseRules::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace

PhraseRules phrase_rules_named(std::string_view name) {
  if (name == "none")
    return PhraseRules::kNone;
  if (name == "zh-en")
    return PhraseRules::kChineseEnglish;
  if (name == "en-de")
    return PhraseRules::kEnglishGerman;
  throw UsageError(fmt::format("no rules are called '{}'", name),
                   "There are none, zh-en and en-de.");
}

std::vector<RulePhrase> find_rule_phrases(PhraseRules rules, std::span<const std::string> words) {
  std::vector<RulePhrase> found;
  if (rules == PhraseRules::kNone)
    return found;
  for (size_t begin = 0; begin < words.size(); ++begin) {
    const size_t longest = std::min(kLongestWindow, words.size() - begin);
    for (size_t length = 1; length <= longest; ++length) {
      const auto window = words.subspan(begin, length);
      const auto translation =
          translate(rules, {window, words.first(begin), words.subspan(begin + length), begin == 0});
      if (!translation)
        continue;
      RulePhrase& phrase = found.emplace_back();
      phrase.begin = static_cast<int64_t>(begin);
      phrase.entry.source.assign(window.begin(), window.end());
      phrase.entry.target = phrase_words(translation->target);
      phrase.entry.category = translation->category;
    }
  }
  return found;
}

std::optional<std::string> rule_category(PhraseRules rules, std::span<const std::string> words) {
  const auto translation = translate(rules, {words, {}, {}});
  return translation ? std::optional(translation->category) : std::nullopt;
}

}  // namespace phraseq
