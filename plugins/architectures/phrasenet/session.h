#pragma once

#include <memory>
#include <vector>

#include "core/nn/decoding_session.h"
#include "core/nn/recurrent/recurrent_rows.h"
#include "plugins/architectures/phrasenet/batch_phrases.h"
#include "plugins/architectures/phrasenet/decoder.h"
#include "plugins/architectures/phrasenet/derivation.h"

namespace phraseq::phrasenet {

/// The inputs of a PhraseSession from its batch.
struct SessionBatch {
  nn::RecurrentMemory memory;
  const BatchPhrases& phrases;
};

/// A decoding session of phraseNet. The words of a chosen slot are fed like any others (the idle
/// run); its tags are no longer active after the last one.
class PhraseSession final : public DecodingSession {
 public:
  PhraseSession(std::shared_ptr<PhraseNetDecoder> decoder,
                const PhraseNetOptions& options,
                const SessionBatch& batch,
                const DecodingLimits& limits,
                nn::Context context);

  int64_t rows() const override { return rows_.rows(); }
  StepOutput step(const at::Tensor& last_tokens) override;
  void select(const std::vector<int64_t>& rows) override;
  int64_t slots() const override { return decoder_->slots(); }
  std::vector<int64_t> expand_slot(int64_t row, int64_t slot) const override;
  void chosen(const std::vector<int64_t>& choices) override;

 private:
  /// The results of `holds` for all slots of each derivation, [rows, slots].
  at::Tensor over_slots(bool (Derivation::*holds)(int64_t) const) const;

  std::shared_ptr<PhraseNetDecoder> decoder_;
  nn::Context context_;
  bool need_attention_, has_phrases_;
  nn::RecurrentRows rows_;
  at::Tensor phrases_;  // [sentences, slots, embed] of PhraseNetDecoder::read_phrases, or undefined
  std::vector<Derivation> derivations_;
};

}  // namespace phraseq::phrasenet
