#include "core/corpus/phrases/phrase_writer.h"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/corpus/chunks.h"
#include "core/corpus/id_type.h"
#include "core/corpus/indexed_dataset_writer.h"
#include "core/corpus/phrases/stored_phrases.h"
#include "core/io/atomic_file.h"

namespace phraseq {
namespace {

constexpr size_t kChunkLines = 4096;

struct Chunk {
  std::vector<std::string> sources;
  std::vector<std::string> targets;  ///< empty when there are none

  bool empty() const { return sources.empty(); }
};

/// Reads the kept lines of a text and of its translation side by side.
class PairReader {
 public:
  PairReader(const CheckedText& source, const std::optional<CheckedText>& target)
      : source_(source) {
    if (target)
      target_.emplace(*target);
  }

  Chunk next() {
    Chunk chunk;
    std::string line;
    while (chunk.sources.size() < kChunkLines && source_.next(line)) {
      chunk.sources.push_back(line);
      if (target_ && target_->next(line))
        chunk.targets.push_back(line);
    }
    return chunk;
  }

 private:
  KeptLines source_;
  std::optional<KeptLines> target_;
};

struct FoundPhrases {
  SentencePhrases phrases;
  std::vector<TargetSpan> spans;
};

std::vector<FoundPhrases> find_phrases(const Chunk& chunk, const PhraseMemory& memory) {
  std::vector<FoundPhrases> found;
  for (size_t i = 0; i < chunk.sources.size(); ++i) {
    found.push_back({memory.read(memory.words(chunk.sources[i])), {}});
    if (!chunk.targets.empty())
      found.back().spans = found.back().phrases.spans_in(memory.words(chunk.targets[i]));
  }
  return found;
}

std::vector<StoredSlot> stored(const FoundPhrases& found, EntryNumbers& numbers) {
  std::vector<StoredSlot> slots;
  for (size_t i = 0; i < found.phrases.slots.size(); ++i) {
    const int64_t number = numbers.number_of(found.phrases.entries[i]);
    slots.push_back({number, -1, found.phrases.slots[i].places()});
  }
  for (const TargetSpan& span : found.spans)
    slots[static_cast<size_t>(span.slot)].span_begin = span.begin;
  return slots;
}

void add(PhraseCounts& counts, const FoundPhrases& found) {
  ++counts.sentences;
  counts.with_phrases += found.phrases.slots.empty() ? 0 : 1;
  counts.slots += static_cast<int64_t>(found.phrases.slots.size());
  counts.spans += static_cast<int64_t>(found.spans.size());
}

}  // namespace

int64_t EntryNumbers::number_of(const PhraseEntry& entry) {
  std::string line = phrase_line(entry);
  const auto [at, is_new] = numbers_.emplace(line, static_cast<int64_t>(numbers_.size()));
  if (is_new)
    text_ += line + '\n';
  return at->second;
}

std::string to_string(const PhraseCounts& counts) {
  return fmt::format("{} sentences, {} with phrases; {} slots, {} found in the target",
                     counts.sentences,
                     counts.with_phrases,
                     counts.slots,
                     counts.spans);
}

PhraseCounts write_phrases(const CheckedText& source,
                           const std::optional<CheckedText>& target,
                           const PhraseMemory& memory,
                           int64_t workers,
                           const std::string& prefix) {
  IndexedDatasetWriter writer(prefix, kNumberLimit);
  PairReader reader(source, target);
  EntryNumbers numbers;
  PhraseCounts counts;
  over_chunks(
      workers,
      [&] { return reader.next(); },
      [&](const Chunk& chunk) { return find_phrases(chunk, memory); },
      [&](const std::vector<FoundPhrases>& of_chunk) {
        for (const FoundPhrases& found : of_chunk) {
          writer.add(encode_slots(stored(found, numbers)));
          add(counts, found);
        }
      });
  writer.commit();
  write_file(prefix + ".txt", numbers.text());
  return counts;
}

}  // namespace phraseq
