// Compares the whole model with the independent computation, and runs the checks of every
// architecture.

#include "plugins/architectures/phrase_transformer/phrase_transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/options/enum_name.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::phrase_transformer {
namespace {

using testing_support::CheckedModel;
using testing_support::count_parameters;
using testing_support::examples_of;
using testing_support::Sequences;

nlohmann::json golden() { return testing_support::golden_values("phrase_transformer"); }

PhraseTransformerOptions golden_options(const nlohmann::json& o, const nlohmann::json& sizes) {
  PhraseTransformerOptions options;
  options.set_sizes(sizes["model"], sizes["ffn"], sizes["heads"], sizes["layers"]);
  options.encoder_normalize_before = options.decoder_normalize_before = o["pre"];
  options.attn_bias = o["attn_bias"];
  options.pt_grams = o["grams"].get<std::vector<int64_t>>();
  options.pt_mode = enum_value(kGramModeNames, o["mode"].get<std::string>()).value();
  options.pt_layers = o["layers"];
  options.pt_raw = o["raw"];
  options.pt_scale = enum_value(kGramScaleNames, o["pt_scale"].get<std::string>()).value();
  options.pt_state = enum_value(kGramStateNames, o["state"].get<std::string>()).value();
  options.pt_head_order = enum_value(kGramHeadOrderNames, o["order"].get<std::string>()).value();
  return options;
}

ArchitectureSetup setup_of(int64_t vocabulary) { return {vocabulary, vocabulary, true, {}}; }

class GoldenPhraseTransformer : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    all_ = golden();
    variant_ = all_["variants"][GetParam()];
    examples_ = examples_of(all_["sources"].get<Sequences>(), all_["targets"].get<Sequences>());
    checked_ = std::make_unique<CheckedModel>(make());
  }

  std::shared_ptr<Architecture> make(
      GramDropoutScope dropout_scope = GramDropoutScope::kWindow) const {
    auto options = golden_options(variant_["options"], all_["sizes"]);
    options.pt_dropout_scope = dropout_scope;
    return std::make_shared<PhraseTransformer>(options, setup_of(all_["sizes"]["vocabulary"]));
  }

  nlohmann::json all_, variant_;
  std::vector<Example> examples_;
  std::unique_ptr<CheckedModel> checked_;
};

TEST_P(GoldenPhraseTransformer, EqualsTheIndependentComputation) {
  checked_->expect_log_probabilities(examples_, variant_["log_probabilities"]);
}

TEST_P(GoldenPhraseTransformer, RecordsItsAttention) {
  const size_t layers = all_["sizes"]["layers"];
  checked_->expect_recorded_attention(examples_, 3 * layers);
}

TEST_P(GoldenPhraseTransformer, ScoresASentenceTheSameAloneAndInABatch) {
  checked_->expect_alone_as_in_a_batch(examples_);
}

TEST_P(GoldenPhraseTransformer, ScoresASentenceTheSameWithoutTheBatchsLongest) {
  const std::vector<Example> shorter(examples_.begin() + 1, examples_.end());
  const std::vector<double> all = checked_->log_probabilities(examples_);
  const auto dropped = static_cast<int64_t>(examples_[0].target.size());
  EXPECT_THAT(checked_->log_probabilities(shorter),
              ::testing::Pointwise(::testing::DoubleNear(1e-12),
                                   std::vector<double>(all.begin() + dropped, all.end())));
}

TEST_P(GoldenPhraseTransformer, DecodesStepByStepAsInASinglePass) {
  checked_->expect_steps_as_in_one_pass(examples_);
}

TEST_P(GoldenPhraseTransformer, KeepsEachRowsPastWhenRowsAreReorderedAndDropped) {
  checked_->expect_rows_keep_their_past(examples_);
}

TEST_P(GoldenPhraseTransformer, HasTheGradientOfFiniteDifferencesWithMasksOfWindows) {
  checked_->expect_gradient_of_finite_differences(examples_);
}

TEST_P(GoldenPhraseTransformer, HasTheGradientOfFiniteDifferencesWithMasksOfPositions) {
  CheckedModel(make(GramDropoutScope::kPosition)).expect_gradient_of_finite_differences(examples_);
}

TEST_P(GoldenPhraseTransformer, ScoresTheSameWhateverTheScopeOfDropout) {
  EXPECT_EQ(CheckedModel(make(GramDropoutScope::kPosition)).log_probabilities(examples_),
            checked_->log_probabilities(examples_));
}

INSTANTIATE_TEST_SUITE_P(Variants,
                         GoldenPhraseTransformer,
                         ::testing::Values("code_3",
                                           "code_2_3",
                                           "equations",
                                           "zero_is_raw",
                                           "raw_all",
                                           "first_layer",
                                           "last_layer",
                                           "sep",
                                           "sep_ascending"),
                         [](const auto& variant) { return std::string(variant.param); });

TEST(PhraseTransformer, WithoutAGramSizeIsTheTransformer) {
  const nlohmann::json all = golden();
  PhraseTransformerOptions options =
      golden_options(all["variants"]["code_3"]["options"], all["sizes"]);
  options.pt_grams = {0};
  const ArchitectureSetup setup = setup_of(all["sizes"]["vocabulary"]);
  const auto examples =
      examples_of(all["sources"].get<Sequences>(), all["targets"].get<Sequences>());
  const CheckedModel phrase(std::make_shared<PhraseTransformer>(options, setup));
  const CheckedModel base(std::make_shared<nn::TransformerModel>(options, setup));
  EXPECT_EQ(phrase.log_probabilities(examples), base.log_probabilities(examples));
  EXPECT_EQ(phrase.flat().values().numel(), base.flat().values().numel());
}

TEST(PhraseTransformer, DiffersFromTheTransformerOnceItHasPhrases) {
  const nlohmann::json all = golden();
  const auto options = golden_options(all["variants"]["code_3"]["options"], all["sizes"]);
  const ArchitectureSetup setup = setup_of(all["sizes"]["vocabulary"]);
  const auto examples =
      examples_of(all["sources"].get<Sequences>(), all["targets"].get<Sequences>());
  const CheckedModel phrase(std::make_shared<PhraseTransformer>(options, setup));
  const CheckedModel base(std::make_shared<nn::TransformerModel>(options, setup));
  EXPECT_THAT(phrase.log_probabilities(examples),
              ::testing::Not(::testing::Pointwise(::testing::DoubleNear(1e-6),
                                                  base.log_probabilities(examples))));
}

int64_t parameters_of(const PhraseTransformerOptions& options, int64_t vocabulary) {
  return count_parameters(PhraseTransformer(options, setup_of(vocabulary)));
}

/// The parameters in addition to those of the same Transformer.
int64_t phrase_parameters_of(const PhraseTransformerOptions& options) {
  return parameters_of(options, 5) - count_parameters(nn::TransformerModel(options, setup_of(5)));
}

TEST(PhraseTransformer, HasThePublishedNumberOfParameters) {
  PhraseTransformerOptions options;
  EXPECT_EQ(phrase_parameters_of(options), 6 * 1052672);
  EXPECT_NEAR(static_cast<double>(parameters_of(options, 20000)) / 1e6, 48.1, 0.05);
  options.pt_grams = {4};
  EXPECT_EQ(phrase_parameters_of(options), 6 * 1052672);
  options.pt_grams = {2, 3};
  EXPECT_EQ(phrase_parameters_of(options), 12 * 1052672);
  EXPECT_NEAR(static_cast<double>(parameters_of(options, 20000)) / 1e6, 54.4, 0.05);
  options.pt_layers = "-2";
  EXPECT_EQ(phrase_parameters_of(options), 4 * 1052672);
}

TEST(PhraseTransformer, HasThePublishedNumberOfParametersWithEightHeads) {
  PhraseTransformerOptions options;
  options.set_sizes(512, 1024, 8, 6);
  EXPECT_EQ(phrase_parameters_of(options), 6 * 264192);
}

TEST(PhraseTransformer, HasOneLstmPerSizeWhenHeadsHaveSizes) {
  PhraseTransformerOptions options;
  options.pt_mode = GramMode::kSeparate;
  options.pt_grams = {3, 0, 3, 0};
  EXPECT_EQ(phrase_parameters_of(options), 6 * 264192);
  options.set_sizes(512, 1024, 8, 6);
  options.pt_grams = {2, 3, 2, 0, 0, 0, 0, 3};
  EXPECT_EQ(phrase_parameters_of(options), 2 * 6 * 66560);
}

TEST(PhraseTransformer, CountsTheMultiplyAddsOfItsLstms) {
  PhraseTransformerOptions options;
  const auto added = [&](int64_t tokens) {
    return PhraseTransformer(options, setup_of(5)).multiply_adds(tokens, 0) -
           nn::TransformerModel(options, setup_of(5)).multiply_adds(tokens, 0);
  };
  const double head_square = 128.0 * 128.0;
  // A product takes 32 dh² for both directions; there are 4 heads and 6 layers.
  options.pt_dropout_scope = GramDropoutScope::kPosition;
  EXPECT_DOUBLE_EQ(added(10), 10 * 6 * 4 * 32 * head_square * 3);
  options.pt_dropout_scope = GramDropoutScope::kWindow;
  EXPECT_DOUBLE_EQ(added(10), 10 * 6 * 4 * 32 * head_square * 5);
  options.pt_dropout = 0.0;
  EXPECT_DOUBLE_EQ(added(10), 10 * 6 * 4 * 32 * head_square * 3);
}

TEST(PhraseTransformer, NamesTheLstmsParametersAsPyTorchDoes) {
  PhraseTransformerOptions options;
  options.set_sizes(8, 6, 2, 1);
  options.pt_grams = {2};
  std::vector<std::string> names;
  for (const auto& entry : PhraseTransformer(options, setup_of(5)).named_parameters()) {
    if (entry.key().find("ngram") != std::string::npos)
      names.push_back(entry.key().substr(std::string("encoder.layers.0.self_attn.").size()));
  }
  EXPECT_THAT(names,
              ::testing::UnorderedElementsAre("ngram.2.weight_ih_l0",
                                              "ngram.2.weight_hh_l0",
                                              "ngram.2.bias_ih_l0",
                                              "ngram.2.bias_hh_l0",
                                              "ngram.2.weight_ih_l0_reverse",
                                              "ngram.2.weight_hh_l0_reverse",
                                              "ngram.2.bias_ih_l0_reverse",
                                              "ngram.2.bias_hh_l0_reverse"));
}

TEST(PhraseTransformer, DrawsTheLstmsAsTheAuthorsDo) {
  PhraseTransformerOptions options;
  options.set_sizes(64, 6, 2, 1);
  PhraseTransformer model(options, setup_of(5));
  model.initialize(1);
  const auto parameters = model.named_parameters();
  const std::string lstm = "encoder.layers.0.self_attn.ngram.3.";
  const auto highest = [&](const std::string& name) {
    return parameters[lstm + name].abs().max().item<double>();
  };
  const double glorot = std::sqrt(6.0 / (5 * 64)), spread = 1.0 / 8;
  for (const char* name : {"weight_ih_l0", "weight_hh_l0_reverse"}) {
    EXPECT_LE(highest(name), glorot);
    EXPECT_GT(highest(name), 0.99 * glorot);
  }
  EXPECT_LE(highest("bias_ih_l0"), spread);
  EXPECT_GT(highest("bias_hh_l0_reverse"), 0.9 * spread);
}

TEST(PhraseTransformer, RejectsOptionsThatContradictEachOther) {
  PhraseTransformerOptions options;
  options.pt_grams = {0};
  options.pt_raw = true;
  EXPECT_NO_THROW(PhraseTransformer(options, setup_of(5)));
  options.pt_grams = {};
  options.pt_raw = false;
  EXPECT_THROW(PhraseTransformer(options, setup_of(5)), UsageError);
}

}  // namespace
}  // namespace phraseq::phrase_transformer
