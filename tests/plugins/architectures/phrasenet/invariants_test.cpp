// Invariants of phraseNet: without phrases, it equals RNNsearch; the likelihood is the sum over
// derivations; and hypotheses of a search have the scores of their own derivations.

#include <cmath>

#include <gtest/gtest.h>

#include "core/data/phrases/phrase_extras.h"
#include "core/nn/loss/phrase_mixture.h"
#include "core/nn/recurrent/recurrent_decoder.h"
#include "core/nn/recurrent/recurrent_encoder.h"
#include "core/options/enum_name.h"
#include "core/search/decoders/beam_search.h"
#include "plugins/architectures/phrasenet/model.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::phrasenet {
namespace {

using testing_support::CheckedModel;

constexpr int64_t kVocabulary = 17, kSlots = 3;
constexpr int64_t kUnknownId = 3;

PhraseNetOptions small(const std::string& variant) {
  PhraseNetOptions options;
  options.embed_dim = 6;
  options.hidden = 5;
  options.gate_hidden = 7;
  options.coverage_dim = 4;
  options.pn_variant = enum_value(kVariantNames, variant).value();
  return options;
}

CheckedModel checked(const PhraseNetOptions& options, double scale = 3) {
  CheckedModel made(std::make_shared<PhraseNetModel>(
      options, ArchitectureSetup{13, kVocabulary, false, {{"phrase_slots", kSlots}}}));
  made.flat().values().mul_(scale);
  return made;
}

ExamplePhrase phrase(std::vector<int64_t> places, std::vector<int64_t> target, int64_t span = -1) {
  ExamplePhrase made{std::move(places), std::move(target)};
  made.span_begin = span;
  return made;
}

Batch batch_of(const CheckedModel& model, const std::vector<Example>& examples) {
  Batch batch = model.batch(examples);
  add_phrases(examples, batch);
  return batch;
}

/// RNNsearch with the parameters of a phraseNet in the same memory, as the last bit of a product
/// may depend on the alignment of its factors.
struct RnnSearch : torch::nn::Module {
  RnnSearch(const nn::RecurrentOptions& options, const torch::nn::Module& phrase_net)
      : encoder(register_module("encoder", std::make_shared<nn::RecurrentEncoder>(options, 13))),
        decoder(register_module("decoder",
                                std::make_shared<nn::RecurrentDecoder>(options, kVocabulary))) {
    const auto theirs = phrase_net.named_parameters();
    for (auto& parameter : named_parameters()) parameter.value().set_data(theirs[parameter.key()]);
  }
  std::shared_ptr<nn::RecurrentEncoder> encoder;
  std::shared_ptr<nn::RecurrentDecoder> decoder;
};

class WithoutPhrases : public ::testing::TestWithParam<const char*> {};

TEST_P(WithoutPhrases, IsBitExactlyRnnSearch) {
  at::NoGradGuard no_grad;
  const CheckedModel model = checked(small(GetParam()), 1);
  const RnnSearch plain(small(GetParam()), model.model());
  const Batch batch =
      batch_of(model, {{0, {5, 9, 4, 2}, {4, 12, 2}, {}}, {1, {6, 2}, {9, 5, 6, 2}, {}}});
  nn::Context pass = model.context();
  const DecoderOutput ours = model.model().forward(batch, pass);
  const at::Tensor h = plain.encoder->forward(batch.source, pass);
  const DecoderOutput theirs = plain.decoder->words(
      plain.decoder->forward(batch.target_in, h, batch.source, {}, pass), pass);
  const at::Tensor logits = theirs.logits(pass);
  EXPECT_TRUE(ours.logits(pass).equal(logits));
  const at::Tensor generated = nn::word_and_slot_scores(ours, pass);
  EXPECT_TRUE(generated.narrow(1, 0, kVocabulary).equal(logits));
  EXPECT_LT(generated.narrow(1, kVocabulary, kSlots).max().item<double>(), -1e29);
}

/// A sentence with phrases does not affect another one of the batch without phrases.
TEST_P(WithoutPhrases, ASentenceDoesNotDependOnTheTagsOfAnother) {
  at::NoGradGuard no_grad;
  const CheckedModel model = checked(small(GetParam()));
  const Example plain{0, {5, 9, 4, 2}, {4, 12, 2}, {}};
  Example tagged{1, {6, 7, 2}, {9, 5, 2}, {}};
  tagged.phrases = {phrase({0}, {9}, 0)};
  nn::Context pass = model.context();
  const auto losses = [&](const std::vector<Example>& examples) {
    const Batch batch = batch_of(model, examples);
    return nn::phrase_mixture_losses(model.model().forward(batch, pass), batch, pass);
  };
  const at::Tensor alone = losses({plain});
  EXPECT_LT((losses({plain, tagged}).narrow(0, 0, 3) - alone).abs().max().item<double>(), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Variants, WithoutPhrases, testing::Values("gate", "softmax"));

class Likelihood : public ::testing::TestWithParam<const char*> {
 protected:
  /// The sum of ln p of the choices in a derivation, with the words of the target as input: words,
  /// or vocabulary + slot and then -1 while its phrase is generated.
  static double along(const CheckedModel& model,
                      const Example& example,
                      const std::vector<int64_t>& choices) {
    at::NoGradGuard no_grad;
    nn::Context pass = model.context();
    const auto session =
        model.model().start_decoding(batch_of(model, {example}), {20, 1, false}, pass);
    double sum = 0;
    int64_t fed = kEos;
    for (size_t t = 0; t < choices.size(); ++t) {
      const at::Tensor scores =
          at::log_softmax(session->step(at::tensor({fed}, at::kLong)).scores, 1)[0];
      if (choices[t] >= 0)
        sum += scores[choices[t]].item<double>();
      fed = example.target[t];
      session->chosen({choices[t] >= 0 ? choices[t] : fed});
    }
    return sum;
  }

  static double likelihood(const CheckedModel& model, const Example& example) {
    at::NoGradGuard no_grad;
    nn::Context pass = model.context();
    const Batch batch = batch_of(model, {example});
    return -nn::phrase_mixture_losses(model.model().forward(batch, pass), batch, pass)
                .sum()
                .item<double>();
  }
};

/// The tags of the last span only affect </s>. If the span is at the end, search and teacher
/// forcing therefore see the same tags, and the likelihood is the sum over both derivations.
TEST_P(Likelihood, OfASpanIsTheSumOfBothWaysToGenerateIt) {
  const CheckedModel model = checked(small(GetParam()));
  Example example{0, {5, 9, 4, 2}, {6, 12, 4}, {}};
  example.phrases = {phrase({0, 1}, {12, 4}, 1), phrase({2}, {7})};
  const double words = along(model, example, {6, 12, 4});
  const double as_phrase = along(model, example, {6, kVocabulary + 0, -1});
  EXPECT_NEAR(likelihood(model, example), std::log(std::exp(words) + std::exp(as_phrase)), 1e-10);
}

TEST_P(Likelihood, OfAPhraseWithAnUnknownWordIsThatOfThePhraseAlone) {
  const CheckedModel model = checked(small(GetParam()));
  Example example{0, {5, 9, 4, 2}, {6, 12, kUnknownId}, {}};
  example.phrases = {phrase({0, 1}, {12, kUnknownId}, 1)};
  EXPECT_NEAR(likelihood(model, example), along(model, example, {6, kVocabulary + 0, -1}), 1e-10);
}

TEST_P(Likelihood, OfABeamsHypothesisIsThatOfItsOwnDerivation) {
  const CheckedModel model = checked(small(GetParam()));
  Example example{0, {5, 9, 4, 8, 2}, {}, {}};
  example.phrases = {phrase({0, 1}, {12, 4, 5}), phrase({2}, {7}), phrase({3}, {9, kUnknownId})};
  at::NoGradGuard no_grad;
  nn::Context pass = model.context();
  SearchInput input({{0, 5, 9, {}}},
                    model.model().start_decoding(batch_of(model, {example}), {10, 4, false}, pass));
  const auto found = beam_search(input, SearchOptions(), {4, 4}).front();
  ASSERT_EQ(found.size(), 4U);
  bool some_phrase = false;
  for (const Hypothesis& hypothesis : found) {
    std::vector<int64_t> choices;
    for (size_t t = 0; t < hypothesis.tokens.size(); ++t) {
      const int64_t slot = hypothesis.slots[t];
      choices.push_back(slot < 0 ? hypothesis.tokens[t] : kVocabulary + slot);
      if (slot < 0)
        continue;
      some_phrase = true;
      const size_t length = example.phrases[static_cast<size_t>(slot)].target.size();
      choices.insert(choices.end(), length - 1, -1);
      t += length - 1;
    }
    example.target = hypothesis.tokens;
    EXPECT_NEAR(hypothesis.log_probability, along(model, example, choices), 1e-10);
  }
  EXPECT_TRUE(some_phrase);
}

/// Every span was generated as a phrase, so search and teacher forcing see the same tags.
TEST_P(Likelihood, OfATextIsAtLeastThatOfItsDerivationByPhrases) {
  const CheckedModel model = checked(small(GetParam()));
  Example example{0, {5, 9, 4, 8, 2}, {6, 12, 4, 5, 7}, {}};
  example.phrases = {phrase({0, 1}, {12, 4, 5}, 1), phrase({2}, {7}, 4)};
  const double by_phrases = along(model, example, {6, kVocabulary + 0, -1, -1, kVocabulary + 1});
  EXPECT_GT(likelihood(model, example), by_phrases);
}

INSTANTIATE_TEST_SUITE_P(Variants, Likelihood, testing::Values("gate", "softmax"));

TEST(NoisyTanh, IsDrawnOnlyInTrainingAndIsReproducible) {
  at::NoGradGuard no_grad;
  const CheckedModel model = checked(small("gate"), 6);
  const Batch batch = batch_of(model, {{0, {5, 9, 4, 2}, {4, 12, 2}, {}}});
  const auto gate = [&](bool training) {
    nn::Context pass = model.context(training);
    return model.model().forward(batch, pass).extras.at(nn::kGateLogit);
  };
  EXPECT_TRUE(gate(true).equal(gate(true)));
  EXPECT_FALSE(gate(true).equal(gate(false)));
}

}  // namespace
}  // namespace phraseq::phrasenet
