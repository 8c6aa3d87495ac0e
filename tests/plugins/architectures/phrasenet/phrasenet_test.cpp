// Compares phraseNet with the independent computation, for forced targets and for derivations as in
// search.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/data/phrases/phrase_extras.h"
#include "core/nn/loss/phrase_mixture.h"
#include "core/nn/loss/projected_scores.h"
#include "core/options/enum_name.h"
#include "plugins/architectures/phrasenet/model.h"
#include "plugins/architectures/phrasenet/presets.h"
#include "tests/support/architecture_checks.h"
#include "tests/support/recurrent_golden.h"

namespace phraseq::phrasenet {
namespace {

using testing_support::CheckedModel;
using testing_support::count_parameters;

nlohmann::json golden() { return testing_support::golden_values("phrasenet"); }

PhraseNetOptions options_of(const nlohmann::json& o, const nlohmann::json& sizes) {
  PhraseNetOptions options;
  testing_support::set_recurrent_options(options, o, sizes);
  options.gate_hidden = sizes["gate_hidden"];
  options.pn_variant = enum_value(kVariantNames, o["pn_variant"].get<std::string>()).value();
  options.gate_act = enum_value(kGateFunctionNames, o["gate_act"].get<std::string>()).value();
  options.gate_residual =
      enum_value(kGateResidualNames, o["gate_residual"].get<std::string>()).value();
  options.mask_used = enum_value(kMaskUsedNames, o["mask_used"].get<std::string>()).value();
  options.reset_on_word_match = o["reset_on_word_match"];
  return options;
}

std::vector<Example> examples_of(const nlohmann::json& sentences) {
  std::vector<Example> examples;
  for (const auto& sentence : sentences) {
    Example example{
        static_cast<int64_t>(examples.size()), sentence["source"], sentence["target"], {}};
    for (const auto& phrase : sentence["phrases"]) {
      ExamplePhrase made{phrase["places"], phrase["target"]};
      made.span_begin = phrase["span_begin"];
      example.phrases.push_back(made);
    }
    examples.push_back(example);
  }
  return examples;
}

std::vector<double> values_of(const at::Tensor& values) {
  const at::Tensor flat = values.to(at::kCPU, at::kDouble).contiguous().view({-1});
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

/// Expects ln p near `expected`; below -1e29, both count as -infinity.
void expect_close(const std::vector<double>& values,
                  const std::vector<double>& expected,
                  const std::string& what) {
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (size_t i = 0; i < values.size(); ++i) {
    if (expected[i] < -1e29) {
      EXPECT_LT(values[i], -1e29) << what << ", entry " << i;
    } else {
      EXPECT_NEAR(values[i], expected[i], 1e-10) << what << ", entry " << i;
    }
  }
}

class GoldenPhraseNet : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const nlohmann::json all = golden();
    variant_ = all["variants"][GetParam()];
    sizes_ = all["sizes"];
    examples_ = examples_of(all["sentences"]);
    checked_ = std::make_unique<CheckedModel>(make());
    checked_->flat().values().mul_(variant_["options"]["scale"].get<double>());
  }

  std::shared_ptr<Architecture> make() const {
    const ArchitectureSetup setup{sizes_["source_vocabulary"],
                                  sizes_["target_vocabulary"],
                                  false,
                                  {{"phrase_slots", sizes_["slots"]}}};
    return std::make_shared<PhraseNetModel>(options_of(variant_["options"], sizes_), setup);
  }

  Batch batch(const std::vector<Example>& examples) const {
    Batch made = checked_->batch(examples);
    add_phrases(examples, made);
    return made;
  }

  std::vector<double> losses(const std::vector<Example>& examples, bool training = false) const {
    nn::Context pass = checked_->context(training);
    const Batch made = batch(examples);
    return values_of(nn::phrase_mixture_losses(checked_->model().forward(made, pass), made, pass));
  }

  nlohmann::json variant_, sizes_;
  std::vector<Example> examples_;
  std::unique_ptr<CheckedModel> checked_;
};

TEST_P(GoldenPhraseNet, HasTheLossOfTheIndependentComputation) {
  at::NoGradGuard no_grad;
  std::vector<double> expected;
  for (const auto& sentence : variant_["forced"]) {
    for (const double loss : sentence["token_loss"]) expected.push_back(loss);
  }
  expect_close(losses(examples_), expected, "losses");
}

TEST_P(GoldenPhraseNet, HasItsProbabilitiesOfWordsAndSlots) {
  at::NoGradGuard no_grad;
  nn::Context pass = checked_->context();
  const Batch made = batch(examples_);
  const DecoderOutput output = checked_->model().forward(made, pass);
  const at::Tensor all = at::log_softmax(nn::word_and_slot_scores(output, pass), 1);
  const int64_t vocabulary = sizes_["target_vocabulary"];
  EXPECT_LT((all.exp().sum(1) - 1).abs().max().item<double>(), 1e-12);
  std::vector<double> words, slots;
  for (const auto& sentence : variant_["forced"]) {
    for (const double word : sentence["word_log_probabilities"]) words.push_back(word);
    for (const auto& step : sentence["slot_log_probabilities"]) {
      const size_t end = slots.size() + sizes_["slots"].get<size_t>();
      for (const double slot : step) slots.push_back(slot);
      slots.resize(end, -1e30);  // slots that the sentence does not have
    }
  }
  expect_close(values_of(all.gather(1, made.target_out.unsqueeze(1))), words, "words");
  expect_close(values_of(all.narrow(1, vocabulary, all.size(1) - vocabulary)), slots, "slots");
}

TEST_P(GoldenPhraseNet, FollowsDerivationsStepByStep) {
  at::NoGradGuard no_grad;
  for (const auto& derivation : variant_["derivations"]) {
    Example example = examples_[derivation["sentence"].get<size_t>()];
    example.target.clear();
    nn::Context pass = checked_->context();
    const auto session = checked_->model().start_decoding(batch({example}), {20, 1, false}, pass);
    int64_t fed = kEos;
    double score = 0;
    for (const auto& step : derivation["steps"]) {
      const at::Tensor scores =
          at::log_softmax(session->step(at::tensor({fed}, at::kLong)).scores, 1)[0];
      const int64_t choice = step["choice"];
      fed = step["word"];
      if (choice >= 0) {
        expect_close(values_of(scores), step["distribution"].get<std::vector<double>>(), "scores");
        score += scores[choice].item<double>();
      }
      session->select({0});
      session->chosen({choice >= 0 ? choice : fed});
    }
    EXPECT_NEAR(score, derivation["score"].get<double>(), 1e-10);
  }
}

TEST_P(GoldenPhraseNet, HasTheSameLossAloneAndInABatch) {
  at::NoGradGuard no_grad;
  const std::vector<double> together = losses(examples_);
  size_t next = 0;
  for (const Example& example : examples_) {
    for (const double alone : losses({example}))
      EXPECT_NEAR(alone, together[next++], 1e-10) << "sentence " << example.id;
  }
}

TEST_P(GoldenPhraseNet, HasTheGradientOfFiniteDifferences) {
  checked_->expect_gradient_of_finite_differences([&](nn::Context& pass) {
    const Batch made = batch(examples_);
    return nn::phrase_mixture_losses(checked_->model().forward(made, pass), made, pass).sum();
  });
}

INSTANTIATE_TEST_SUITE_P(Variants,
                         GoldenPhraseNet,
                         testing::Values("gate",
                                         "gate_scaled",
                                         "gate_residual_pre",
                                         "gate_half_normal",
                                         "gate_tanh",
                                         "gate_no_coverage",
                                         "gate_ungated_coverage",
                                         "gate_fertility",
                                         "gate_cgru",
                                         "gate_readout_old",
                                         "gate_mask_decode",
                                         "gate_mask_both",
                                         "gate_word_match",
                                         "softmax",
                                         "softmax_scaled",
                                         "softmax_no_coverage",
                                         "softmax_cgru",
                                         "softmax_mask_both"),
                         [](const auto& variant) { return std::string(variant.param); });

TEST(PhraseNet, HasAsManyParametersAsPublished) {
  PhraseNetOptions options;
  const ArchitectureSetup setup{16000, 16000, false, {{"phrase_slots", 10}}};
  EXPECT_EQ(count_parameters(PhraseNetModel(options, setup)), 68'914'272);
  options.pn_variant = Variant::kSoftmax;
  EXPECT_EQ(count_parameters(PhraseNetModel(options, setup)), 69'756'071);
}

TEST(PhraseNetOptions, NameValuesWithoutEffect) {
  using ::testing::ElementsAre;
  PhraseNetOptions options;
  options.noise_c = 1;
  EXPECT_THAT(options.without_effect(), ::testing::IsEmpty());
  options.gate_act = GateFunction::kTanh;
  EXPECT_THAT(options.without_effect(),
              ElementsAre("--noise-c has no effect with --gate-act tanh"));
  options.pn_variant = Variant::kSoftmax;
  EXPECT_THAT(options.without_effect(),
              ElementsAre("--gate-act has no effect with --pn-variant softmax, which has no gate",
                          "--noise-c has no effect with --pn-variant softmax, which has no gate"));
}

TEST(PhraseNetPresets, HaveNoValuesWithoutEffect) {
  for (const Preset& preset : phrasenet_presets()) {
    PhraseNetOptions options;
    preset.apply(options);
    EXPECT_THAT(options.without_effect(), ::testing::IsEmpty()) << preset.name;
  }
}

}  // namespace
}  // namespace phraseq::phrasenet
