#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/data/batch.h"

namespace phraseq::phrasenet {

/// The phrases of a batch in the form that the model reads. A sentence has at most `slots` of them.
class BatchPhrases {
 public:
  /// Throws UsageError for a batch without a phrase memory's extras, or with more slots.
  BatchPhrases(const Batch& batch, int64_t slots);

  int64_t slots() const { return slots_; }
  int64_t count() const { return first_slot_.back(); }
  /// The number of slots of a sentence.
  int64_t count_of(int64_t sentence) const {
    return first_slot_[sentence + 1] - first_slot_[sentence];
  }
  /// Target ids of a sentence's slot; empty if there is no such slot.
  std::vector<int64_t> words(int64_t sentence, int64_t slot) const;

  /// Target ids of all phrases, and where each phrase begins: [count + 1].
  const std::vector<int64_t>& all_words() const { return words_; }
  const std::vector<int64_t>& word_offsets() const { return first_word_; }
  /// [sentences, slots] int64: the index of each slot's phrase among all phrases; `count` if there
  /// is no such slot.
  at::Tensor places() const;

  /// [sentences, src_time, slots] in `type`: 1 for the slot whose phrase covers a source token,
  /// otherwise 0. Undefined if no sentence has a phrase.
  at::Tensor tags(at::ScalarType type) const;
  /// [sentences, slots] bool: false if the sentence has no such slot.
  at::Tensor present() const;
  /// [target tokens, slots] bool: false from the step after a slot's span on.
  at::Tensor before_span_ends() const;

 private:
  const Batch& batch_;
  int64_t slots_;
  std::vector<int64_t> first_slot_, first_word_, words_;
};

}  // namespace phraseq::phrasenet
