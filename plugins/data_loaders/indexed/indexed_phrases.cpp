#include "plugins/data_loaders/indexed/indexed_phrases.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

/// Whether the places of the slot's words and of its translation are within the example.
bool fits(const ExamplePhrase& phrase, const Example& example) {
  const auto words = static_cast<int64_t>(example.source.size()) - 1;  // without </s>
  if (phrase.places.back() >= words)
    return false;
  if (phrase.span_begin < 0 || example.target.empty())
    return true;
  const auto length = static_cast<int64_t>(phrase.target.size());
  return phrase.span_begin + length < static_cast<int64_t>(example.target.size());
}

}  // namespace

IndexedPhrases::IndexedPhrases(StoredPhrases stored, const EncodePhrase& encode)
    : stored_(std::move(stored)) {
  for (const PhraseEntry& entry : stored_.entries()) targets_.push_back(encode(entry.target));
}

std::vector<ExamplePhrase> IndexedPhrases::of(const Example& example) const {
  std::vector<ExamplePhrase> phrases;
  for (StoredSlot& slot : stored_.get(example.id)) {
    const auto entry = static_cast<size_t>(slot.entry);
    phrases.push_back(
        example_phrase(stored_.entries()[entry], std::move(slot.places), targets_[entry]));
    phrases.back().span_begin = slot.span_begin;
    if (!fits(phrases.back(), example)) {
      throw FormatError(fmt::format("{}: phrase {} of sentence {} is not in the table",
                                    stored_.slots().prefix(),
                                    phrases.size(),
                                    example.id + 1),
                        "The phrases belong to another text; run phraseq preprocess again.");
    }
  }
  return phrases;
}

uint32_t IndexedPhrases::fingerprint() const {
  return stored_.slots().fingerprint() ^ stored_.slots().ids_fingerprint() ^
         stored_.entries_fingerprint();
}

}  // namespace phraseq
