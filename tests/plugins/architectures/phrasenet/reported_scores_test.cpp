// The scores that generate and rescore report for a sentence without phrases equal those of
// RNNsearch to the bit, in the precision of the computation.

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/criterion/token_loss.h"
#include "core/data/phrases/phrase_extras.h"
#include "core/nn/recurrent/recurrent_decoder.h"
#include "core/nn/recurrent/recurrent_encoder.h"
#include "core/nn/recurrent/recurrent_rows.h"
#include "core/options/enum_name.h"
#include "core/search/decoders/beam_search.h"
#include "plugins/architectures/phrasenet/model.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::phrasenet {
namespace {

// Slots share a block of columns with the last words (core/nn/kernels/softmax.cpp).
constexpr int64_t kSources = 31, kTargets = 157, kMaxSlots = 3;

PhraseNetOptions small_net(const std::string& variant) {
  PhraseNetOptions options;
  options.embed_dim = 24;
  options.hidden = 20;
  options.gate_hidden = 16;
  options.pn_variant = enum_value(kVariantNames, variant).value();
  return options;
}

/// RNNsearch under phraseNet's parameter names.
struct PlainRnnSearch : torch::nn::Module {
  explicit PlainRnnSearch(const nn::RecurrentOptions& options)
      : encoder(
            register_module("encoder", std::make_shared<nn::RecurrentEncoder>(options, kSources))),
        decoder(
            register_module("decoder", std::make_shared<nn::RecurrentDecoder>(options, kTargets))) {
    testing_support::set_golden_values(*this);
  }
  std::shared_ptr<nn::RecurrentEncoder> encoder;
  std::shared_ptr<nn::RecurrentDecoder> decoder;
};

class PlainSession final : public DecodingSession {
 public:
  PlainSession(const PlainRnnSearch& model, const Batch& batch, nn::Context context)
      : decoder_(model.decoder),
        context_(context),
        rows_(*decoder_,
              decoder_->read(
                  model.encoder->forward(batch.source, context_), batch.source, {}, context_),
              context_) {}

  int64_t rows() const override { return rows_.rows(); }
  StepOutput step(const at::Tensor& last_tokens) override {
    const nn::RecurrentStep made = rows_.step(last_tokens, {}, context_);
    StepOutput output;
    output.scores = decoder_->words(made, context_).logits(context_);
    return output;
  }
  void select(const std::vector<int64_t>& rows) override { rows_.select(rows); }

 private:
  std::shared_ptr<nn::RecurrentDecoder> decoder_;
  nn::Context context_;
  nn::RecurrentRows rows_;
};

class ReportedScores : public testing::TestWithParam<std::tuple<const char*, nn::Precision>> {
 protected:
  ReportedScores()
      : model_(std::make_shared<PhraseNetModel>(
            small_net(std::get<0>(GetParam())),
            ArchitectureSetup{kSources, kTargets, false, {{"phrase_slots", kMaxSlots}}})),
        plain_(small_net(std::get<0>(GetParam()))) {
    testing_support::set_golden_values(*model_);
    if (std::get<1>(GetParam()) == nn::Precision::kFp64) {
      model_->to(at::kDouble);
      plain_.to(at::kDouble);
    }
  }

  nn::Context context() const { return {false, std::get<1>(GetParam())}; }

  Batch batch_of(const std::vector<Example>& examples) const {
    Batch batch = collate_pairs(examples, model_->conventions());
    add_phrases(examples, batch);
    return batch;
  }

  static std::vector<std::vector<Hypothesis>> search(const Batch& batch,
                                                     std::unique_ptr<DecodingSession> session) {
    std::vector<SentenceInput> sentences;
    for (int64_t i = 0; i < batch.sentences(); ++i) sentences.push_back({i, 6, 12, {}});
    SearchInput input(std::move(sentences), std::move(session));
    return beam_search(input, SearchOptions(), {4, 4});
  }

  std::shared_ptr<PhraseNetModel> model_;
  PlainRnnSearch plain_;
};

TEST_P(ReportedScores, OfASearchAreRnnSearchs) {
  at::NoGradGuard no_grad;
  const Batch batch =
      batch_of({{0, {5, 9, 14, 2}, {}, {}}, {1, {6, 30, 7, 11, 2}, {}, {}}, {2, {8, 2}, {}, {}}});
  nn::Context pass = context();
  const auto ours = search(batch, model_->start_decoding(batch, {13, 4, false}, pass));
  const auto theirs = search(batch, std::make_unique<PlainSession>(plain_, batch, pass));
  for (size_t i = 0; i < theirs.size(); ++i) {
    ASSERT_EQ(ours[i].size(), theirs[i].size());
    for (size_t n = 0; n < theirs[i].size(); ++n) {
      EXPECT_EQ(ours[i][n].tokens, theirs[i][n].tokens);
      EXPECT_EQ(ours[i][n].token_scores, theirs[i][n].token_scores);
      EXPECT_EQ(ours[i][n].score, theirs[i][n].score);
    }
  }
}

/// Another sentence of the batch may have phrases.
TEST_P(ReportedScores, OfGivenTranslationsAreRnnSearchs) {
  at::NoGradGuard no_grad;
  const std::vector<int64_t> target = {44, 156, 5, 64, 99, 2};
  Example with_phrases{1, {6, 7, 2}, {9, 5, 130, 2}, {}};
  with_phrases.phrases = {{{0}, {9}}, {{1}, {7, 8}}};
  with_phrases.phrases[0].span_begin = 0;
  const Batch batch = batch_of({{0, {5, 9, 14, 2}, target, {}}, with_phrases});
  nn::Context pass = context();
  const at::Tensor ours = token_log_probabilities(model_->forward(batch, pass), batch, pass);
  const at::Tensor h = plain_.encoder->forward(batch.source, pass);
  const DecoderOutput words = plain_.decoder->words(
      plain_.decoder->forward(batch.target_in, h, batch.source, {}, pass), pass);
  const at::Tensor theirs = token_log_probabilities(words, batch, pass);
  const auto length = static_cast<int64_t>(target.size());
  EXPECT_TRUE(ours.narrow(0, 0, length).equal(theirs.narrow(0, 0, length)));
  EXPECT_FALSE(ours.equal(theirs));  // those of the other sentence differ
}

INSTANTIATE_TEST_SUITE_P(Variants,
                         ReportedScores,
                         testing::Combine(testing::Values("gate", "softmax"),
                                          testing::Values(nn::Precision::kFp32,
                                                          nn::Precision::kFp64)));

}  // namespace
}  // namespace phraseq::phrasenet
