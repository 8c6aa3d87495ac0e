#include "plugins/architectures/phrasenet/session.h"

#include <utility>

#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>

#include "core/data/device/to_device.h"
#include "core/nn/loss/phrase_mixture.h"

namespace phraseq::phrasenet {

PhraseSession::PhraseSession(std::shared_ptr<PhraseNetDecoder> decoder,
                             const PhraseNetOptions& options,
                             const SessionBatch& batch,
                             const DecodingLimits& limits,
                             nn::Context context)
    : decoder_(std::move(decoder)),
      context_(context),
      need_attention_(limits.need_attention),
      has_phrases_(batch.phrases.count() > 0),
      rows_(*decoder_, batch.memory, context_),
      phrases_(decoder_->read_phrases(batch.phrases, context_)) {
  for (int64_t sentence = 0; sentence < batch.memory.mask.size(0); ++sentence) {
    std::vector<std::vector<int64_t>> words;
    for (int64_t slot = 0; slot < decoder_->slots(); ++slot)
      words.push_back(batch.phrases.words(sentence, slot));
    derivations_.emplace_back(options, std::move(words));
  }
}

at::Tensor PhraseSession::over_slots(bool (Derivation::*holds)(int64_t) const) const {
  const at::Tensor answers = at::zeros({rows(), slots()}, at::kBool);
  auto* answer = answers.mutable_data_ptr<bool>();
  for (const Derivation& derivation : derivations_) {
    for (int64_t slot = 0; slot < slots(); ++slot) *answer++ = (derivation.*holds)(slot);
  }
  return answers;
}

StepOutput PhraseSession::step(const at::Tensor& last_tokens) {
  const at::Device device = decoder_->embed_tokens().weight.device();
  const at::Tensor active = has_phrases_ ? to_device(over_slots(&Derivation::active), device)
                                         : at::Tensor();  // [rows, slots]
  const nn::RecurrentStep made = rows_.step(last_tokens, active, context_);
  at::Tensor phrases = phrases_;
  if (phrases.defined()) {
    std::vector<int64_t> sentences;
    for (int64_t row = 0; row < rows(); ++row) sentences.push_back(rows_.sentence_of(row));
    phrases = phrases.index_select(0, to_device(sentences, device));  // [rows, slots, embed]
  }
  StepOutput output;
  output.scores = nn::word_and_slot_scores(
      decoder_->decide(
          made, phrases, to_device(over_slots(&Derivation::available), device), context_),
      context_);
  if (need_attention_)
    output.attention = made.weights;
  return output;
}

void PhraseSession::select(const std::vector<int64_t>& rows) {
  std::vector<Derivation> derivations;
  derivations.reserve(rows.size());
  for (const int64_t row : rows) derivations.push_back(derivations_[static_cast<size_t>(row)]);
  derivations_ = std::move(derivations);
  rows_.select(rows);
}

std::vector<int64_t> PhraseSession::expand_slot(int64_t row, int64_t slot) const {
  const Derivation& derivation = derivations_[static_cast<size_t>(row)];
  return derivation.available(slot) ? derivation.phrase(slot) : std::vector<int64_t>();
}

void PhraseSession::chosen(const std::vector<int64_t>& choices) {
  const int64_t vocabulary = decoder_->embed_tokens().weight.size(0);
  for (size_t row = 0; row < choices.size(); ++row) {
    if (choices[row] < vocabulary) {
      derivations_[row].say(choices[row]);
    } else {
      derivations_[row].choose(choices[row] - vocabulary);
    }
  }
}

}  // namespace phraseq::phrasenet
