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
enum class PhraseRules { kNone, kChineseEnglish, kEnglishGerman, kGermanEnglish };

/// A phrase that a rule found in a sentence, and its translation.
struct RulePhrase {
  int64_t begin = 0;  ///< place of the first word, from 0
  std::string rule;   ///< its name in the report of `phraseq phrase-table rules --reference`
  PhraseEntry entry;  ///< category dates, numbers or names
};

/// The phrases of the sentence that a rule translates, by place; they do not overlap. A phrase is
/// as long as it can be: where no rule translates all of a number or a date, none translates a
/// part.
///
/// docs/guide/phrase_table.md lists the rules.
PHRASEQ_API std::vector<RulePhrase> find_rule_phrases(PhraseRules rules,
                                                      std::span<const std::string> words);

/// The category of the rule that translates all of the words at once, when there is one; they count
/// as words from within a sentence.
PHRASEQ_API std::optional<std::string> rule_category(PhraseRules rules,
                                                     std::span<const std::string> words);

}  // namespace phraseq
