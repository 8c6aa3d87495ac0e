#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/corpus/indexed_dataset.h"
#include "core/phrase_memory/table/phrase_table.h"

namespace phraseq {

/// A slot of a sentence of an indexed text.
struct StoredSlot {
  int64_t entry = 0;            ///< place in the list of entries
  int64_t span_begin = -1;      ///< where its translation is in the target, -1 = nowhere
  std::vector<int64_t> places;  ///< of the source words that it covers, ascending
  bool operator==(const StoredSlot&) const = default;
};

/// Slots as one sequence of numbers: for each slot its entry, span_begin + 1, the number of its
/// places, and the places. `decode_slots` throws FormatError if the numbers do not encode slots.
PHRASEQ_API std::vector<int64_t> encode_slots(const std::vector<StoredSlot>& slots);
PHRASEQ_API std::vector<StoredSlot> decode_slots(const std::vector<int64_t>& numbers);

/// The phrases of an indexed text's sentences: `PREFIX.bin` and `.idx`, a sequence of slots
/// per sentence, and `PREFIX.txt`, the entries that the slots refer to
/// (docs/formats/phrase_memory.md).
class PHRASEQ_API StoredPhrases {
 public:
  /// Throws like IndexedDataset::open, and FormatError for an invalid entry.
  static StoredPhrases open(const std::string& prefix);

  const std::vector<PhraseEntry>& entries() const { return entries_; }
  const IndexedDataset& slots() const { return slots_; }
  uint32_t entries_fingerprint() const { return entries_fingerprint_; }
  /// A sentence's slots. Throws a FormatError that names the sentence if they are damaged.
  std::vector<StoredSlot> get(int64_t sentence) const;

 private:
  explicit StoredPhrases(IndexedDataset slots) : slots_(std::move(slots)) {}

  IndexedDataset slots_;
  std::vector<PhraseEntry> entries_;
  uint32_t entries_fingerprint_ = 0;
};

/// The manifest's entry for the files of a prefix: their checksums and the number of entries.
PHRASEQ_API nlohmann::json stored_phrases_record(const std::string& prefix);

/// The prefix of a text's phrases: `FOLDER/SPLIT.SRC-TGT.LANG.phrases`.
PHRASEQ_API std::string phrases_prefix(const std::string& text_prefix);

}  // namespace phraseq
