#pragma once

#include <memory>
#include <optional>

#include "core/nn/recurrent/recurrent_decoder.h"
#include "plugins/architectures/phrasenet/batch_phrases.h"
#include "plugins/architectures/phrasenet/gate.h"
#include "plugins/architectures/phrasenet/options.h"
#include "plugins/architectures/phrasenet/slot_scorer.h"

namespace phraseq::phrasenet {

/// RNNsearch's decoder over tagged source words, which in each step generates a word or chooses a
/// slot. In addition to the parameters of nn::RecurrentDecoder, it has `gate` and the parameters of
/// SlotClassifier, or those of PhraseScorer.
class PhraseNetDecoder : public nn::RecurrentDecoder {
 public:
  PhraseNetDecoder(const PhraseNetOptions& options, int64_t vocabulary, int64_t slots);

  int64_t slots() const { return slots_; }
  /// The representations of phrases for the scores of slots, computed once per sentence:
  /// [sentences, slots, embed], or undefined if slots are only numbers.
  at::Tensor read_phrases(const BatchPhrases& phrases, nn::Context& context) const;

  /// The output for words and slots: a DecoderOutput with the extras of
  /// core/nn/loss/phrase_mixture.h. `phrases` [rows, slots, embed] from read_phrases, `available`
  /// [rows, slots] bool.
  DecoderOutput decide(const nn::RecurrentStep& step,
                       const at::Tensor& phrases,
                       const at::Tensor& available,
                       nn::Context& context) const;

  void initialize(nn::RecurrentInitializer& initializer);
  double multiply_adds(double source_tokens, double target_tokens) const;

 private:
  int64_t slots_;
  std::shared_ptr<Gate> gate_;
  std::optional<SlotClassifier> classifier_;
  std::optional<PhraseScorer> scorer_;
};

}  // namespace phraseq::phrasenet
