#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/phrase_matcher.h"

namespace phraseq {

/// Which of several overlapping occurrences are kept ("the rule with fewer source words is
/// removed", Tang et al. 2016).
enum class PhraseOverlap {
  kGreedy,   ///< repeatedly take the longest that overlaps nothing taken; ties: the leftmost
  kDynamic,  ///< cover the most words with at most `slots` occurrences; ties by fewer occurrences,
             ///< then the leftmost, then at one place the longer
  kLiteral,  ///< remove, in one pass, each that overlaps a longer one or an equally long one
             ///< that begins further left
};

/// What the occurrences of a phrase that occurs several times get.
enum class PhraseRepeat {
  kSlots,   ///< a separate slot for each
  kShared,  ///< one slot of the phrase tags all its occurrences
};

/// Which occurrences of phrases get a slot.
struct PhraseSelectionOptions {
  int64_t slots = 10;  ///< n_p, the most slots that a sentence gets
  PhraseOverlap overlap = PhraseOverlap::kGreedy;
  PhraseRepeat repeat = PhraseRepeat::kSlots;
};

/// A slot of the phrase memory: one phrase and the source words that it tags.
struct PHRASEQ_API PhraseSlot {
  int64_t phrase = 0;
  std::vector<PhraseOccurrence> occurrences;  ///< from left to right; one, unless shared

  /// The number of source words that it covers.
  int64_t covered() const;
  /// Their places in the sentence, ascending.
  std::vector<int64_t> places() const;
  bool operator==(const PhraseSlot&) const = default;
};

/// P_x: the slots of a sentence in source order, their occurrences disjoint. If there are more than
/// `options.slots`, those that cover the most words are kept; ties: the leftmost. With shared
/// slots, kDynamic covers the most words without a limit; the surplus is then cut by the words of
/// the slots.
PHRASEQ_API std::vector<PhraseSlot> select_phrases(std::vector<PhraseOccurrence> occurrences,
                                                   const PhraseSelectionOptions& options = {});

}  // namespace phraseq
