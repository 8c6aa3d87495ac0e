#include "core/memory/phrase_memory.h"

#include "core/text/lower_case.h"

namespace phraseq {

std::vector<TargetSpan> SentencePhrases::spans_in(std::span<const std::string> target) const {
  std::vector<std::vector<std::string>> phrases;
  phrases.reserve(entries.size());
  for (const PhraseEntry& entry : entries) phrases.push_back(entry.target);
  return assign_spans(phrases, target);
}

PhraseMemory::PhraseMemory(PhraseTable table, PhraseSelectionOptions selection, bool lowercase)
    : table_(std::move(table)),
      matcher_(table_.entries()),
      selection_(selection),
      lowercase_(lowercase) {}

std::vector<std::string> PhraseMemory::words(std::string_view sentence) const {
  std::vector<std::string> words = phrase_words(sentence);
  if (lowercase_) {
    for (std::string& word : words) word = lower_case(word);
  }
  return words;
}

SentencePhrases PhraseMemory::read(std::span<const std::string> source) const {
  SentencePhrases phrases;
  phrases.occurrences = matcher_.find(source);
  phrases.slots = select_phrases(phrases.occurrences, selection_);
  for (const PhraseSlot& slot : phrases.slots)
    phrases.entries.push_back(table_.entries()[static_cast<size_t>(slot.phrase)]);
  return phrases;
}

}  // namespace phraseq
