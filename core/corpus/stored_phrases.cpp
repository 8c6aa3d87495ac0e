#include "core/corpus/stored_phrases.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/crc32c.h"
#include "core/io/mapped_file.h"

namespace phraseq {
namespace {

constexpr size_t kSlotHeader = 3;
constexpr const char* kRebuildHint = "Write the data again with phraseq preprocess.";

std::vector<PhraseEntry> parse_entries(std::string_view text, const std::string& file) {
  std::vector<PhraseEntry> entries;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    ParsedPhraseLine parsed = parse_phrase_line(text.substr(begin, end - begin));
    if (!parsed.problems.empty()) {
      throw FormatError(fmt::format("{}:{}: {}", file, entries.size() + 1, parsed.problems.front()),
                        kRebuildHint);
    }
    entries.push_back(std::move(parsed.entry));
    begin = end + 1;
  }
  return entries;
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
  for (size_t at = 0; at < numbers.size();) {
    const size_t left = numbers.size() - at;
    const auto places = left < kSlotHeader ? 0 : static_cast<size_t>(numbers[at + 2]);
    if (left < kSlotHeader || places == 0 || places > left - kSlotHeader)
      throw FormatError(fmt::format("number {} of {} begins no slot", at + 1, numbers.size()));
    const auto first = numbers.begin() + static_cast<int64_t>(at + kSlotHeader);
    slots.push_back({numbers[at],
                     numbers[at + 1] - 1,
                     std::vector<int64_t>(first, first + static_cast<int64_t>(places))});
    at += kSlotHeader + places;
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
  const auto refuse = [&](const std::string& what) {
    throw FormatError(
        fmt::format("{}: the phrases of sentence {}: {}", slots_.prefix(), sentence + 1, what),
        kRebuildHint);
  };
  std::vector<StoredSlot> slots;
  try {
    slots = decode_slots(slots_.get(sentence));
  } catch (const FormatError& error) {
    refuse(error.message());
  }
  for (const StoredSlot& slot : slots) {
    if (slot.entry >= static_cast<int64_t>(entries_.size()))
      refuse(fmt::format("entry {} of {}", slot.entry + 1, entries_.size()));
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
