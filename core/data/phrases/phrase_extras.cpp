#include "core/data/phrases/phrase_extras.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

/// Collects the extras of a batch, sentence by sentence.
class PhraseColumns {
 public:
  explicit PhraseColumns(const Batch& batch)
      : batch_(batch), tags_(static_cast<size_t>(batch.source.tokens()), -1) {
    if (!batch.has_target())
      return;
    span_slots_.assign(static_cast<size_t>(batch.target_in.tokens()), -1);
    span_lengths_.assign(span_slots_.size(), 0);
  }

  void add(int64_t sentence, const Example& example) {
    for (size_t slot = 0; slot < example.phrases.size(); ++slot) {
      const ExamplePhrase& phrase = example.phrases[slot];
      tag(sentence, example, static_cast<int64_t>(slot));
      words_.insert(words_.end(), phrase.target.begin(), phrase.target.end());
      for (size_t word = 0; word < phrase.target.size(); ++word)
        strings_.push_back(string_number(phrase, word));
      word_offsets_.push_back(static_cast<int64_t>(words_.size()));
      if (batch_.has_target() && phrase.span_begin >= 0)
        mark_span(sentence, example, static_cast<int64_t>(slot));
    }
    slot_offsets_.push_back(static_cast<int64_t>(word_offsets_.size()) - 1);
  }

  void move_into(Batch& batch) {
    const auto keep = [&](const char* name, std::vector<int64_t>& values) {
      batch.host_extras[name] = std::move(values);
    };
    keep(kPhraseTags, tags_);
    keep(kPhraseSlotOffsets, slot_offsets_);
    keep(kPhraseWordOffsets, word_offsets_);
    keep(kPhraseWords, words_);
    keep(kPhraseStrings, strings_);
    if (!batch.has_target())
      return;
    keep(kPhraseSpanSlot, span_slots_);
    keep(kPhraseSpanLength, span_lengths_);
  }

 private:
  /// A word that the vocabulary knows is its id. Others are numbered as they come; one whose string
  /// is not known is like no other.
  int64_t string_number(const ExamplePhrase& phrase, size_t word) {
    if (phrase.target[word] != kUnk)
      return phrase.target[word];
    const int64_t next = -1 - numbered_++;
    if (word >= phrase.target_words.size())
      return next;
    return string_numbers_.try_emplace(phrase.target_words[word], next).first->second;
  }

  void tag(int64_t sentence, const Example& example, int64_t slot) {
    const auto words = static_cast<int64_t>(example.source.size());
    // Sources of architectures that want <s> … </s> are a token longer than the example's.
    const int64_t end = batch_.source.offsets[static_cast<size_t>(sentence) + 1];
    for (const int64_t place : example.phrases[static_cast<size_t>(slot)].places) {
      if (place < 0 || place >= words)
        reject(example, slot, "source", place, words);
      tags_[static_cast<size_t>(end - words + place)] = slot;
    }
  }

  void mark_span(int64_t sentence, const Example& example, int64_t slot) {
    const ExamplePhrase& phrase = example.phrases[static_cast<size_t>(slot)];
    const auto words = static_cast<int64_t>(example.target.size());
    const auto length = static_cast<int64_t>(phrase.target.size());
    if (phrase.span_begin + length > words)
      reject(example, slot, "target", phrase.span_begin + length - 1, words);
    const auto begin = static_cast<size_t>(batch_.target_in.offsets[static_cast<size_t>(sentence)] +
                                           phrase.span_begin);
    span_slots_[begin] = slot;
    span_lengths_[begin] = length;
  }

  [[noreturn]] static void reject(
      const Example& example, int64_t slot, const char* side, int64_t place, int64_t words) {
    throw DataError(fmt::format("sentence {}: phrase {} covers {} word {}, but there are {}",
                                example.id + 1,
                                slot + 1,
                                side,
                                place + 1,
                                words),
                    "The phrases belong to another text; extract them again.");
  }

  const Batch& batch_;
  std::vector<int64_t> tags_;
  std::vector<int64_t> slot_offsets_ = {0};
  std::vector<int64_t> word_offsets_ = {0};
  std::vector<int64_t> words_, strings_;
  std::map<std::string, int64_t> string_numbers_ = {{"<unk>", kUnk}};
  int64_t numbered_ = 0;
  std::vector<int64_t> span_slots_;
  std::vector<int64_t> span_lengths_;
};

}  // namespace

void add_phrases(const std::vector<Example>& examples, Batch& batch) {
  PhraseColumns columns(batch);
  for (size_t i = 0; i < examples.size(); ++i) columns.add(static_cast<int64_t>(i), examples[i]);
  columns.move_into(batch);
}

const std::vector<int64_t>& phrase_numbers(const Batch& batch, const char* name) {
  const auto found = batch.host_extras.find(name);
  if (found == batch.host_extras.end()) {
    throw UsageError("the batch has no phrases",
                     "A model with a phrase memory needs --task translation_with_phrase_memory.");
  }
  return found->second;
}

}  // namespace phraseq
