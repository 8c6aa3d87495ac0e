#include "plugins/architectures/phrasenet/decoder.h"

#include "core/nn/loss/phrase_mixture.h"

namespace phraseq::phrasenet {

PhraseNetDecoder::PhraseNetDecoder(const PhraseNetOptions& o, int64_t vocabulary, int64_t slots)
    : RecurrentDecoder(o, vocabulary, slots), slots_(slots) {
  if (o.gated()) {
    gate_ = register_module("gate", std::make_shared<Gate>(o, slots));
    classifier_.emplace(*this, o, slots);
  } else {
    scorer_.emplace(*this, o, slots);
  }
}

at::Tensor PhraseNetDecoder::read_phrases(const BatchPhrases& phrases, nn::Context& context) const {
  return scorer_ ? scorer_->phrases(phrases, embed_tokens(), context) : at::Tensor();
}

DecoderOutput PhraseNetDecoder::decide(const nn::RecurrentStep& step,
                                       const at::Tensor& phrases,
                                       const at::Tensor& available,
                                       nn::Context& context) const {
  DecoderOutput output = words(step, context);
  const at::Tensor scores =  // [rows, slots]
      classifier_ ? classifier_->scores(step.decision, context)
                  : scorer_->scores(step.decision, phrases, context);
  output.extras[nn::kSlotScores] = scores.masked_fill(available.logical_not(), nn::kNoSlot);
  if (gate_)
    output.extras[nn::kGateLogit] = gate_->logit(step.decision, context);
  return output;
}

void PhraseNetDecoder::initialize(nn::RecurrentInitializer& initializer) {
  RecurrentDecoder::initialize(initializer);
  if (gate_) {
    gate_->initialize(initializer);
    classifier_->initialize(initializer);
  } else {
    scorer_->initialize(initializer);
  }
}

double PhraseNetDecoder::multiply_adds(double source_tokens, double target_tokens) const {
  const double of_slots =
      gate_ ? gate_->multiply_adds(target_tokens) + classifier_->multiply_adds(target_tokens)
            : scorer_->multiply_adds(target_tokens);
  return RecurrentDecoder::multiply_adds(source_tokens, target_tokens) + of_slots;
}

}  // namespace phraseq::phrasenet
