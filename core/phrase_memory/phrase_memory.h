#pragma once

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
/// If a rule and the table match the same words, the rule takes precedence, unless it only copies a
/// name.
class PHRASEQ_API PhraseMemory {
 public:
  /// With `lowercase`, the table was lowercased, and sentences are lowercased before they are
  /// compared. The translations of rules are lowercased, too; rules see the sentence as it is given
  /// to `read`.
  ///
  /// With `keeps_case` in addition, only the table's sources were lowercased, and case is ignored
  /// only in comparisons: phrases are spelled as in the table, in the form that the vocabulary of
  /// cased text contains.
  PhraseMemory(PhraseTable table,
               PhraseSelectionOptions selection,
               bool lowercase = false,
               PhraseRules rules = PhraseRules::kNone,
               bool keeps_case = false);

  const PhraseTable& table() const { return table_; }
  SentencePhrases read(std::span<const std::string> source) const;
  /// A sentence's words in the form that `read` and `spans_in` expect.
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
