#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/phrase_memory/phrase_selection.h"
#include "core/phrase_memory/rules/phrase_rules.h"

namespace phraseq {

inline constexpr EnumName<PhraseOverlap> kPhraseOverlapNames[] = {
    {"greedy", PhraseOverlap::kGreedy},
    {"dp", PhraseOverlap::kDynamic},
    {"literal", PhraseOverlap::kLiteral}};
inline constexpr EnumName<PhraseRepeat> kPhraseRepeatNames[] = {{"slots", PhraseRepeat::kSlots},
                                                                {"shared", PhraseRepeat::kShared}};
inline constexpr EnumName<PhraseRules> kPhraseRulesNames[] = {
    {"none", PhraseRules::kNone},
    {"zh-en", PhraseRules::kChineseEnglish},
    {"en-de", PhraseRules::kEnglishGerman},
    {"de-en", PhraseRules::kGermanEnglish}};

/// Where the phrases of sentences come from, and which of them a sentence gets: the options that
/// all users of a phrase memory share. They are described in parts; each command has its own option
/// for lowercasing.
struct PHRASEQ_API PhraseMemoryOptions {
  std::string phrase_table;
  int64_t pn_slots = 10;
  PhraseOverlap pn_overlap = PhraseOverlap::kGreedy;
  PhraseRepeat pn_repeat = PhraseRepeat::kSlots;
  PhraseRules pn_rules = PhraseRules::kNone;

  void describe_table(OptionTable& table);
  void describe_selection(OptionTable& table);

  /// Whether there is a table or rules to find phrases with.
  bool any() const { return !phrase_table.empty() || pn_rules != PhraseRules::kNone; }
  PhraseSelectionOptions selection() const;
};

}  // namespace phraseq
