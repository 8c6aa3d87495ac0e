#include "core/corpus/phrases/stored_phrases.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/indexed_dataset.h"
#include "core/io/crc32c.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

constexpr size_t kSlotHeader = 3;

std::vector<PhraseEntry> parse_entries(std::string_view text, const std::string& file) {
  std::vector<PhraseEntry> entries;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    ParsedPhraseLine parsed = parse_phrase_line(text.substr(begin, end - begin));
    if (!parsed.problems.empty()) {
      throw FormatError(fmt::format("{}:{}: {}", file, entries.size() + 1, parsed.problems.front()),
                        kPreprocessAgain);
    }
    entries.push_back(std::move(parsed.entry));
    begin = end + 1;
  }
  return entries;
}

/// How many of the numbers make the first slot; 0 when they begin with none.
size_t slot_size(std::span<const int64_t> numbers) {
  if (numbers.size() < kSlotHeader || numbers[0] < 0 || numbers[1] < 0 || numbers[2] < 1)
    return 0;
  const auto places = static_cast<uint64_t>(numbers[2]);
  if (places > numbers.size() - kSlotHeader || numbers[kSlotHeader] < 0)
    return 0;
  const auto covered = numbers.subspan(kSlotHeader, places);
  const auto step_back = std::adjacent_find(covered.begin(), covered.end(), std::greater_equal<>());
  return step_back == covered.end() ? kSlotHeader + places : 0;
}

}  // namespace

std::vector<int64_t> encode_slots(const std::vector<StoredSlot>& slots) {
  std::vector<int64_t> numbers;
  for (const StoredSlot& slot : slots) {
    numbers.insert(numbers.end(),
                   {slot.entry, slot.span_begin + 1, static_cast<int64_t>(slot.places.size())});
    numbers.insert(numbers.end(), slot.places.begin(), slot.places.end());
  }
  return numbers;
}

std::vector<StoredSlot> decode_slots(const std::vector<int64_t>& numbers) {
  std::vector<StoredSlot> slots;
  for (std::span<const int64_t> left = numbers; !left.empty();) {
    const size_t size = slot_size(left);
    if (size == 0) {
      throw FormatError(fmt::format("number {} of {} does not start a slot",
                                    numbers.size() - left.size() + 1,
                                    numbers.size()));
    }
    const auto places = left.subspan(kSlotHeader, size - kSlotHeader);
    slots.push_back({left[0], left[1] - 1, {places.begin(), places.end()}});
    left = left.subspan(size);
  }
  return slots;
}

StoredPhrases StoredPhrases::open(const std::string& prefix) {
  StoredPhrases phrases(IndexedDataset::open(prefix));
  const std::string file = prefix + ".txt";
  const std::string text = read_file(file);
  phrases.entries_ = parse_entries(text, file);
  phrases.entries_fingerprint_ = crc32c(std::as_bytes(std::span(text)));
  return phrases;
}

std::vector<StoredSlot> StoredPhrases::get(int64_t sentence) const {
  const auto reject = [&](const std::string& what) {
    throw FormatError(
        fmt::format("{}: the phrases of sentence {}: {}", slots_.prefix(), sentence + 1, what),
        kPreprocessAgain);
  };
  std::vector<StoredSlot> slots;
  try {
    slots = decode_slots(slots_.get(sentence));
  } catch (const FormatError& error) {
    reject(error.message());
  }
  for (const StoredSlot& slot : slots) {
    if (slot.entry >= static_cast<int64_t>(entries_.size()))
      reject(fmt::format("entry {} of {}", slot.entry + 1, entries_.size()));
  }
  return slots;
}

nlohmann::json stored_phrases_record(const std::string& prefix) {
  const StoredPhrases written = StoredPhrases::open(prefix);
  return {{"index_crc32c", crc32c_text(written.slots().fingerprint())},
          {"ids_crc32c", crc32c_text(written.slots().ids_fingerprint())},
          {"entries_crc32c", crc32c_text(written.entries_fingerprint())},
          {"entries", written.entries().size()}};
}

std::string phrases_prefix(const std::string& text_prefix) { return text_prefix + ".phrases"; }

}  // namespace phraseq
