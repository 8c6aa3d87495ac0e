#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/phrase_matcher.h"
#include "core/phrase_memory/phrase_selection.h"
#include "core/phrase_memory/rules/phrase_rules.h"
#include "core/phrase_memory/span_assignment.h"
#include "core/phrase_memory/table/phrase_table.h"

namespace phraseq {

/// What the phrase memory holds for one source sentence.
struct SentencePhrases {
  std::vector<PhraseOccurrence> occurrences;  ///< all, before overlaps are resolved
  std::vector<PhraseSlot> slots;              ///< P_x
  std::vector<PhraseEntry> entries;           ///< of each slot
  bool ignores_case = false;                  ///< in the comparison with target sentences

  /// P_xy: the slots' spans in a target sentence.
  PHRASEQ_API std::vector<TargetSpan> spans_in(std::span<const std::string> target) const;
};

/// The external memory of Tang et al. 2016: a phrase table and rules, and the way to read them.
///
/// Where a rule and the table match the same words, the rule wins, unless it only copies a name.
class PHRASEQ_API PhraseMemory {
 public:
  /// With `lowercase` the table was lower-cased, and so are the sentences before they are compared.
  /// What rules make is lower-cased, too; rules see the sentence as it is given to `read`.
  ///
  /// With `keeps_case`, too, only the table's sources were lower-cased, and case is ignored in
  /// comparisons alone: phrases say what the table says, which the vocabulary of cased text knows.
  PhraseMemory(PhraseTable table,
               PhraseSelectionOptions selection,
               bool lowercase = false,
               PhraseRules rules = PhraseRules::kNone,
               bool keeps_case = false);

  SentencePhrases read(std::span<const std::string> source) const;
  /// A sentence's words as `read` and `spans_in` take them.
  std::vector<std::string> words(std::string_view sentence) const;

 private:
  std::vector<PhraseEntry> add_rule_phrases(std::span<const std::string> source,
                                            std::vector<PhraseOccurrence>& occurrences) const;

  PhraseTable table_;
  PhraseMatcher matcher_;
  PhraseSelectionOptions selection_;
  bool lowercase_, keeps_case_;
  PhraseRules rules_;
};

}  // namespace phraseq
