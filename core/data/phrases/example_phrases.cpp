#include "core/data/phrases/example_phrases.h"

#include <utility>

namespace phraseq {

ExamplePhrase example_phrase(const PhraseEntry& entry,
                             std::vector<int64_t> places,
                             std::vector<int64_t> target) {
  return {std::move(places), std::move(target), entry.source, entry.target, entry.category, -1};
}

std::vector<ExamplePhrase> example_phrases(const SentencePhrases& found,
                                           const std::vector<TargetSpan>& spans,
                                           const EncodePhrase& encode) {
  std::vector<ExamplePhrase> phrases;
  for (size_t slot = 0; slot < found.slots.size(); ++slot) {
    const PhraseEntry& entry = found.entries[slot];
    phrases.push_back(example_phrase(entry, found.slots[slot].places(), encode(entry.target)));
  }
  for (const TargetSpan& span : spans)
    phrases[static_cast<size_t>(span.slot)].span_begin = span.begin;
  return phrases;
}

void cut_phrases(std::vector<ExamplePhrase>& phrases, int64_t words) {
  std::erase_if(phrases,
                [&](const ExamplePhrase& phrase) { return phrase.places.back() >= words; });
}

std::vector<int64_t> phrase_word_places(const std::vector<ExamplePhrase>& phrases,
                                        const std::vector<int64_t>& slots) {
  std::vector<int64_t> places;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] < 0) {
      places.push_back(-1);
      continue;
    }
    const auto words = static_cast<int64_t>(phrases[static_cast<size_t>(slots[i])].target.size());
    const bool goes_on = i > 0 && slots[i - 1] == slots[i];
    places.push_back(goes_on ? (places.back() + 1) % words : 0);
  }
  return places;
}

}  // namespace phraseq
