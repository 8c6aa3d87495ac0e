#include "plugins/architectures/phrasenet/derivation.h"

#include <algorithm>
#include <utility>

#include "core/text/dictionary.h"

namespace phraseq::phrasenet {

Derivation::Derivation(const PhraseNetOptions& options, std::vector<std::vector<int64_t>> phrases)
    : masks_used_(options.masks_used_in_search()),
      resets_on_match_(options.reset_on_word_match),
      phrases_(std::move(phrases)) {
  for (const auto& phrase : phrases_) active_.push_back(!phrase.empty());
  available_ = active_;
}

void Derivation::choose(int64_t slot) {
  spoken_.clear();
  running_ = slot;
  waiting_ = static_cast<int64_t>(phrase(slot).size()) - 1;
  if (waiting_ == 0)
    finish(slot);
}

void Derivation::say(int64_t word) {
  if (waiting_ > 0) {
    if (--waiting_ == 0)
      finish(running_);
    return;
  }
  spoken_.push_back(word);
  if (resets_on_match_)
    match_words();
}

void Derivation::finish(int64_t slot) {
  active_[static_cast<size_t>(slot)] = false;
  if (masks_used_)
    available_[static_cast<size_t>(slot)] = false;
}

/// Finds the longest active phrase, without unknown words, that equals the last words generated;
/// among equally long ones, the one with the lower slot.
void Derivation::match_words() {
  int64_t best = -1;
  for (int64_t slot = 0; slot < static_cast<int64_t>(phrases_.size()); ++slot) {
    const auto& words = phrase(slot);
    const bool generated = active(slot) && words.size() <= spoken_.size() &&
                           std::find(words.begin(), words.end(), kUnk) == words.end() &&
                           std::equal(words.rbegin(), words.rend(), spoken_.rbegin());
    if (generated && (best < 0 || words.size() > phrase(best).size()))
      best = slot;
  }
  if (best >= 0)
    finish(best);
}

}  // namespace phraseq::phrasenet
