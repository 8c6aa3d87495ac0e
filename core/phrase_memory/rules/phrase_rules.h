#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/table/phrase_table.h"

namespace phraseq {

/// Language pairs for which rules translate dates, numbers and names (Tang et al. 2016, sec. 3).
enum class PhraseRules { kNone, kChineseEnglish, kEnglishGerman, kGermanEnglish };

/// A phrase that a rule found in a sentence, and its translation.
struct RulePhrase {
  int64_t begin = 0;  ///< place of the first word, from 0
  std::string rule;   ///< its name in the report of `phraseq phrase-table rules --reference`
  PhraseEntry entry;  ///< category dates, numbers or names
};

/// The phrases of the sentence that a rule translates, by place; they do not overlap. A phrase is
/// as long as possible: if no rule translates all of a number or a date, none translates a part of
/// it.
///
/// docs/guide/phrase_table.md lists the rules.
PHRASEQ_API std::vector<RulePhrase> find_rule_phrases(PhraseRules rules,
                                                      std::span<const std::string> words);

/// The category of the rule that translates all of the words at once, if there is one; they are
/// treated as words from within a sentence.
PHRASEQ_API std::optional<std::string> rule_category(PhraseRules rules,
                                                     std::span<const std::string> words);

}  // namespace phraseq
