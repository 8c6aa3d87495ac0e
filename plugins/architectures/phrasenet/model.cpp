#include "plugins/architectures/phrasenet/model.h"

#include <ATen/ops/index_select.h>

#include "core/base/error.h"
#include "core/data/device/to_device.h"
#include "plugins/architectures/phrasenet/session.h"

namespace phraseq::phrasenet {
namespace {

int64_t slots_of(const ArchitectureSetup& setup) {
  const auto slots = setup.extras.find(kPhraseSlots);
  if (slots == setup.extras.end()) {
    throw UsageError("phrasenet needs a phrase memory",
                     "Use --task translation_with_phrase_memory.");
  }
  return slots->second;
}

/// The sentence of each target token, [target tokens] int64.
at::Tensor sentence_of_row(const PackedTokens& target) {
  std::vector<int64_t> sentences;
  for (int64_t i = 0; i < target.sentences(); ++i)
    sentences.insert(sentences.end(), static_cast<size_t>(target.length(i)), i);
  return to_device(sentences, target.ids.device());
}

}  // namespace

PhraseNetModel::PhraseNetModel(const PhraseNetOptions& options, const ArchitectureSetup& setup)
    : RecurrentModel(
          setup.source_vocabulary,
          std::make_shared<PhraseNetDecoder>(options, setup.target_vocabulary, slots_of(setup))),
      options_(options) {}

DecoderOutput PhraseNetModel::forward(const Batch& batch, nn::Context& context) {
  const BatchPhrases phrases(batch, decoder_->slots());
  const at::Tensor h = encoder_->forward(batch.source, context);
  const at::Tensor before = phrases.before_span_ends();   // [target tokens, slots]
  const at::Tensor tags = phrases.tags(h.scalar_type());  // [sentences, src_time, slots]
  const nn::TagSchedule schedule{tags, tags.defined() ? before.to(h.scalar_type()) : at::Tensor()};
  const nn::RecurrentStep steps =
      decoder_->forward(batch.target_in, h, batch.source, schedule, context);
  const at::Tensor sentences = sentence_of_row(batch.target_in);
  at::Tensor available = phrases.present().index_select(0, sentences);  // [target tokens, slots]
  if (options_.masks_used_in_training())
    available = available.logical_and(before);
  at::Tensor of_row = decoder_->read_phrases(phrases, context);  // [sentences, slots, embed]
  if (of_row.defined())
    of_row = of_row.index_select(0, sentences);  // [target tokens, slots, embed]
  return decoder_->decide(steps, of_row, available, context);
}

std::unique_ptr<DecodingSession> PhraseNetModel::start_decoding(const Batch& batch,
                                                                const DecodingLimits& limits,
                                                                nn::Context& context) {
  const BatchPhrases phrases(batch, decoder_->slots());
  const at::Tensor h = encoder_->forward(batch.source, context);
  const at::Tensor tags = phrases.tags(h.scalar_type());
  const SessionBatch read{decoder_->read(h, batch.source, tags, context), phrases};
  return std::make_unique<PhraseSession>(decoder_, options_, read, limits, context);
}

}  // namespace phraseq::phrasenet
