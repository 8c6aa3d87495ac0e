#include "plugins/architectures/rnnsearch/model.h"

#include "core/nn/recurrent/recurrent_rows.h"

namespace phraseq::rnnsearch {
namespace {

class RnnSearchSession final : public DecodingSession {
 public:
  RnnSearchSession(std::shared_ptr<nn::RecurrentDecoder> decoder,
                   const nn::RecurrentMemory& memory,
                   bool need_attention,
                   nn::Context context)
      : decoder_(std::move(decoder)),
        need_attention_(need_attention),
        context_(context),
        rows_(*decoder_, memory, context_) {}

  int64_t rows() const override { return rows_.rows(); }

  StepOutput step(const at::Tensor& last_tokens) override {
    const nn::RecurrentStep made = rows_.step(last_tokens, {}, context_);
    StepOutput output;
    output.scores = decoder_->words(made, context_).logits(context_);
    if (need_attention_)
      output.attention = made.weights;
    return output;
  }

  void select(const std::vector<int64_t>& rows) override { rows_.select(rows); }

 private:
  std::shared_ptr<nn::RecurrentDecoder> decoder_;
  bool need_attention_;
  nn::Context context_;
  nn::RecurrentRows rows_;
};

}  // namespace

RnnSearchModel::RnnSearchModel(const nn::RecurrentOptions& options, const ArchitectureSetup& setup)
    : RecurrentModel(setup.source_vocabulary,
                     std::make_shared<nn::RecurrentDecoder>(options, setup.target_vocabulary)) {}

DecoderOutput RnnSearchModel::forward(const Batch& batch, nn::Context& context) {
  const at::Tensor h = encoder_->forward(batch.source, context);
  const nn::RecurrentStep steps = decoder_->forward(batch.target_in, h, batch.source, {}, context);
  return decoder_->words(steps, context);
}

std::unique_ptr<DecodingSession> RnnSearchModel::start_decoding(const Batch& batch,
                                                                const DecodingLimits& limits,
                                                                nn::Context& context) {
  const at::Tensor h = encoder_->forward(batch.source, context);
  return std::make_unique<RnnSearchSession>(
      decoder_, decoder_->read(h, batch.source, {}, context), limits.need_attention, context);
}

}  // namespace phraseq::rnnsearch
