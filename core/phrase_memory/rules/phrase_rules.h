#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/table/phrase_table.h"

namespace phraseq {

/// Languages whose dates, numbers and names rules translate (Tang et al. 2016, sec. 3).
enum class PhraseRules { kNone, kChineseEnglish, kEnglishGerman };

/// "none", "zh-en" or "en-de"; throws UsageError for another name.
PHRASEQ_API PhraseRules phrase_rules_named(std::string_view name);

/// A phrase that a rule found in a sentence, and its translation.
struct RulePhrase {
  int64_t begin = 0;  ///< place of the first word, from 0
  PhraseEntry entry;  ///< category dates, numbers or names
};

/// Every phrase of the sentence that a rule translates, nested ones too: by place, then by length.
///
/// zh-en: dates (二〇〇三年 三月 一日 → March 1 , 2003), numbers (一千七百万 → 17 million, 1345 →
/// 1,345, not what can be a year), persons' names beside a title in pinyin (董建华 先生 → Dong
/// Jianhua), words in Latin letters copied; however the words are cut. en-de:
/// dates (March 1 , 2003 → 1. März 2003), numbers (1,345.5 → 1.345,5; 17 million → 17 Millionen),
/// and copied, as names, two or more capitalized words on end that do not begin the sentence.
PHRASEQ_API std::vector<RulePhrase> find_rule_phrases(PhraseRules rules,
                                                      std::span<const std::string> words);

/// The category of the rule that translates all of the words at once, when there is one; they count
/// as words from within a sentence.
PHRASEQ_API std::optional<std::string> rule_category(PhraseRules rules,
                                                     std::span<const std::string> words);

/// What a rule says of the words of a window.
struct RuleTranslation {
  std::string target;
  std::string category;
};

/// Words of a sentence that may make a phrase, and those around them.
struct RuleWindow {
  std::span<const std::string> words;
  std::span<const std::string> before;  ///< from the sentence's begin
  std::span<const std::string> behind;  ///< to its end
  bool begins_sentence = false;
};

/// The rules of one pair of languages: do these words, all of them, make a phrase?
std::optional<RuleTranslation> chinese_english_rule(const RuleWindow& window);
std::optional<RuleTranslation> english_german_rule(const RuleWindow& window);

}  // namespace phraseq
