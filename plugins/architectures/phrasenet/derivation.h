#pragma once

#include <cstdint>
#include <vector>

#include "plugins/architectures/phrasenet/options.h"

namespace phraseq::phrasenet {

/// What a hypothesis has done with its sentence's slots: which tags still count, which slots may be
/// chosen, and which phrase it is in the middle of.
class Derivation {
 public:
  Derivation(const PhraseNetOptions& options, std::vector<std::vector<int64_t>> phrases);

  /// Whether the tags of a slot count in the next step.
  bool active(int64_t slot) const { return active_[static_cast<size_t>(slot)]; }
  /// Whether the next decision may choose a slot.
  bool available(int64_t slot) const { return available_[static_cast<size_t>(slot)]; }
  const std::vector<int64_t>& phrase(int64_t slot) const {
    return phrases_[static_cast<size_t>(slot)];
  }

  /// Records that a slot was chosen and its first word generated.
  void choose(int64_t slot);
  /// Records that a word was generated: the next of a phrase, or one of the vocabulary.
  void say(int64_t word);

 private:
  void finish(int64_t slot);
  void match_words();

  bool masks_used_, resets_on_match_;
  std::vector<std::vector<int64_t>> phrases_;
  std::vector<bool> active_, available_;
  int64_t running_ = -1;         // the slot whose phrase is being generated
  int64_t waiting_ = 0;          // words of it still to come
  std::vector<int64_t> spoken_;  // the last consecutive words of word mode
};

}  // namespace phraseq::phrasenet
