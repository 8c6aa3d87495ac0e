#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/base/api.h"
#include "core/corpus/text_encoder.h"
#include "core/phrase_memory/phrase_memory.h"
#include "core/phrase_memory/table/phrase_table.h"

namespace phraseq {

/// What was written of the phrases of a split.
struct PhraseCounts {
  int64_t sentences = 0;
  int64_t with_phrases = 0;
  int64_t slots = 0;
  int64_t spans = 0;  ///< slots whose translation is in the target
};

/// "29000 sentences, 21004 with phrases; 40123 slots, 35200 found in the target"
PHRASEQ_API std::string to_string(const PhraseCounts& counts);

/// Numbers entries in the order of their first use, and keeps their lines.
class PHRASEQ_API EntryNumbers {
 public:
  int64_t number_of(const PhraseEntry& entry);
  const std::string& text() const { return text_; }

 private:
  std::unordered_map<std::string, int64_t> numbers_;
  std::string text_;
};

/// Finds the phrases of each sentence, P_x, and the positions of their translations in the target,
/// P_xy, from the words of both texts, and writes them as StoredPhrases under `prefix`. Entries are
/// listed in the order of their first use, whatever the number of workers.
PHRASEQ_API PhraseCounts write_phrases(const CheckedText& source,
                                       const std::optional<CheckedText>& target,
                                       const PhraseMemory& memory,
                                       int64_t workers,
                                       const std::string& prefix);

}  // namespace phraseq
