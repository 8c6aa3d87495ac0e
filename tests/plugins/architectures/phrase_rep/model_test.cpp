#include "plugins/architectures/phrase_rep/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/nn/recording.h"
#include "core/nn/transformer/transformer_model.h"
#include "core/options/enum_name.h"
#include "plugins/architectures/phrase_rep/presets.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::phrase_rep {
namespace {

using testing_support::CheckedModel;
using testing_support::count_parameters;
using testing_support::examples_of;
using testing_support::Sequences;

nlohmann::json golden() { return testing_support::golden_values("phrase_rep"); }

std::string pair_text(const nlohmann::json& numbers) {
  return std::to_string(numbers[0].get<int64_t>()) + "," +
         std::to_string(numbers[1].get<int64_t>());
}

PhraseRepOptions options_of(const nlohmann::json& o, const nlohmann::json& sizes) {
  PhraseRepOptions options;
  options.set_sizes(sizes["model"], sizes["ffn"], sizes["heads"], o["encoder_layers"]);
  options.decoder_layers = o["decoder_layers"];
  options.decoder_embed_dim = o["decoder_width"];
  options.encoder_normalize_before = options.decoder_normalize_before = o["pre"];
  options.embed_norm =
      enum_value(nn::kEmbeddingNormNames, o["embed_norm"].get<std::string>()).value();
  options.attn_bias = o["attn_bias"];
  options.ffn_bias2 = o["ffn2"];
  options.start_token = o["start"] == 0 ? nn::StartToken::kBos : nn::StartToken::kEos;
  options.source_bos = o["source_bos"];
  options.forbid_outputs = o["forbid"];
  options.pr_glance = enum_value(kGlanceNames, o["glance"].get<std::string>()).value();
  options.pr_attn = enum_value(kWordAttentionNames, o["attn"].get<std::string>()).value();
  options.pr_attn_hidden = o.value("attn_hidden_text", pair_text(o["attn_hidden"]));
  options.pr_ta = enum_value(kMixedLevelsNames, o["ta"].get<std::string>()).value();
  options.pr_comb_hidden = o.value("comb_hidden_text", pair_text(o["comb_hidden"]));
  options.pr_comb_residual =
      enum_value(kCombinationResidualNames, o["residual"].get<std::string>()).value();
  options.pr_comb_centered = o.value("centered", false);
  options.pr_comb_bias2 = o["comb_bias2"] ? AutoSwitch::kYes : AutoSwitch::kNo;
  options.pr_seg_max = o["seg"][0];
  options.pr_seg_min = o["seg"][1];
  options.pr_seg_div = o["seg"][2];
  options.pr_seg_round = enum_value(kRoundingNames, o["rounding"].get<std::string>()).value();
  options.pr_seg_scope = enum_value(kSegmentationScopeNames, o["scope"].get<std::string>()).value();
  if (!o["tree_options"].is_null()) {
    options.pr_seg = SegmentationKind::kParse;
    options.pr_parse_bound =
        enum_value(kParseBoundNames, o["tree_options"][0].get<std::string>()).value();
    options.pr_specials =
        enum_value(kSpecialPhrasesNames, o["tree_options"][1].get<std::string>()).value();
  }
  options.max_source_positions = options.max_target_positions = 20;
  return options;
}

ArchitectureSetup setup_of(int64_t source, int64_t target) {
  ArchitectureSetup setup;
  setup.source_vocabulary = source;
  setup.target_vocabulary = target;
  return setup;
}

class GoldenPhraseRep : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    all_ = golden();
    variant_ = all_["variants"][GetParam()];
    examples_ = examples_of(all_["sources"].get<Sequences>(), all_["targets"].get<Sequences>());
    for (size_t i = 0; i < examples_.size(); ++i)
      examples_[i].extras[kTreeExtra] = all_["trees"][i].get<std::vector<int64_t>>();
    const auto& sizes = all_["sizes"];
    checked_ = std::make_unique<CheckedModel>(std::make_shared<PhraseRepModel>(
        options_of(variant_["options"], sizes),
        setup_of(sizes["source_vocabulary"], sizes["target_vocabulary"])));
  }

  bool depends_on_the_batch() const { return variant_["options"]["scope"] == "batch"; }

  nlohmann::json all_, variant_;
  std::vector<Example> examples_;
  std::unique_ptr<CheckedModel> checked_;
};

TEST_P(GoldenPhraseRep, EqualsTheIndependentPaddedComputation) {
  checked_->expect_log_probabilities(examples_, variant_["log_probabilities"]);
}

TEST_P(GoldenPhraseRep, ScoresASentenceTheSameAloneAndInABatch) {
  if (!depends_on_the_batch()) {
    checked_->expect_alone_as_in_a_batch(examples_);
    return;
  }
  // With segmentation by the batch, as in the published code, scores differ: alone, the last
  // sentence is cut into other phrases.
  const auto together = checked_->log_probabilities(examples_);
  const auto alone = checked_->log_probabilities({examples_[1]});
  EXPECT_GT(std::abs(alone[0] - together[examples_[0].target.size()]), 1e-7);
}

TEST_P(GoldenPhraseRep, DecodesStepByStepAsInASinglePass) {
  checked_->expect_steps_as_in_one_pass(examples_);
}

TEST_P(GoldenPhraseRep, KeepsEachRowsPastWhenRowsAreReorderedAndDropped) {
  checked_->expect_rows_keep_their_past(examples_);
}

TEST_P(GoldenPhraseRep, HasTheGradientOfFiniteDifferences) {
  checked_->expect_gradient_of_finite_differences(examples_);
}

TEST_P(GoldenPhraseRep, TakesSourcesOfOneTokenAndOfNone) {
  if (variant_["options"]["tree_options"].is_null()) {
    const auto scores =
        checked_->log_probabilities(examples_of({{2}, {}, {5, 2}}, {{2}, {2}, {2}}));
    EXPECT_THAT(scores, testing::Each(testing::Lt(0.0)));
  }
}

INSTANTIATE_TEST_SUITE_P(Variants,
                         GoldenPhraseRep,
                         testing::Values("base",
                                         "mean",
                                         "mean_centered",
                                         "max",
                                         "max_attn",
                                         "mean_attn_uneven",
                                         "max_ta",
                                         "neutron",
                                         "pre_norm",
                                         "parse",
                                         "parse_bounded",
                                         "parse_joined",
                                         "wide_decoder",
                                         "wide_decoder_last_level"),
                         [](const auto& variant) { return std::string(variant.param); });

int64_t parameters_of(const std::string& name, int64_t vocabulary, const char* hidden = nullptr) {
  PhraseRepOptions options;
  for (const Preset& preset : phrase_rep_presets()) {
    if (preset.name == name)
      preset.apply(options);
  }
  if (hidden != nullptr)
    options.pr_comb_hidden = hidden;
  return count_parameters(PhraseRepModel(options, setup_of(vocabulary, vocabulary)));
}

// The vocabulary that gives the published numbers of the baselines.
constexpr int64_t kRows = 42885;
constexpr int64_t kBase = 88054661;  // the size of the baseline with it
constexpr int64_t kMean = kBase + 12 * (4 * 512 * 512 + 3 * 512 * 1536 + 1536 + 2 * 512);

TEST(PhraseRepSizes, MeetThePrintedCountOfMeanAndMax) {
  EXPECT_EQ(parameters_of("phrase_rep_base_mean", kRows), kMean);
  EXPECT_EQ(parameters_of("phrase_rep_base_max", kRows), kMean);
  EXPECT_NEAR(static_cast<double>(kMean) / 1e6, 128.98, 0.005);  // the paper: 129.0
}

TEST(PhraseRepSizes, CountTheScorersAndTransparentAttention) {
  const int64_t scorer = 2 * 512 * 512 + 512 + 512;  // W1, b1, w2
  EXPECT_EQ(parameters_of("phrase_rep_base_max_attn", kRows), kMean + 7 * scorer);
  EXPECT_EQ(parameters_of("phrase_rep_base", kRows), kMean + 7 * scorer + 42);
  EXPECT_EQ(parameters_of("phrase_rep_base_parse", kRows), kMean + 7 * scorer + 42);
  EXPECT_NEAR(static_cast<double>(parameters_of("phrase_rep_base", kRows)) / 1e6, 132.66, 0.005);
  EXPECT_NEAR(static_cast<double>(parameters_of("phrase_rep_big", kRows)) / 1e6, 442.48, 0.005);
}

TEST(PhraseRepSizes, CountOtherCombinationWidths) {
  const auto millions = [](const char* preset, const char* hidden) {
    return static_cast<double>(parameters_of(preset, kRows, hidden)) / 1e6;
  };
  EXPECT_NEAR(millions("phrase_rep_base_max", "4d"), 138.42, 0.005);
  EXPECT_NEAR(millions("phrase_rep_base", "4d"), 142.10, 0.005);
  EXPECT_NEAR(millions("phrase_rep_base_max", "2d"), 119.5, 0.05);
  EXPECT_NEAR(millions("phrase_rep_base_max", "4d,2d"), 128.98, 0.005);
}

TEST(PhraseRepModel, RecordsThePhrasesWeightsAndTransparentAttention) {
  const auto all = golden();
  const CheckedModel checked(std::make_shared<PhraseRepModel>(
      options_of(all["variants"]["base"]["options"], all["sizes"]), setup_of(11, 13)));
  nn::Recording recording;
  nn::Context context = checked.context();
  context.record_into(&recording);
  checked.model().forward(checked.batch(examples_of({{5, 9, 4, 7, 8, 2}}, {{4, 2}})), context);
  const auto shown = recording.named(checked.model());
  const at::Tensor weights = shown.at("encoder.phrase_generators.2.phrase_weights");
  ASSERT_EQ(weights.sizes(), at::IntArrayRef({7}));  // <s> and six tokens: phrases of 4 and 3
  EXPECT_NEAR(weights.narrow(0, 0, 4).sum().item<double>(), 1, 1e-12);
  EXPECT_NEAR(weights.narrow(0, 4, 3).sum().item<double>(), 1, 1e-12);
  const at::Tensor mixture = shown.at("decoder.transparent_attention.transparent_attention");
  EXPECT_TRUE(at::allclose(mixture.sum(0), at::ones({2}, at::kDouble)));
}

TEST(PhraseRepModel, ReportsThatABatchWasMadeWithoutPhrases) {
  const auto all = golden();
  const CheckedModel checked(std::make_shared<PhraseRepModel>(
      options_of(all["variants"]["base"]["options"], all["sizes"]), setup_of(11, 13)));
  Batch batch = checked.batch(examples_of({{5, 2}}, {{4, 2}}));
  batch.host_extras.clear();
  nn::Context context = checked.context();
  EXPECT_THROW(checked.model().forward(batch, context), UsageError);
}

TEST(PhraseRepOptions, NamesEveryProblemAtOnce) {
  PhraseRepOptions options;
  EXPECT_THAT(options.problems(), testing::IsEmpty());
  options.pr_comb_hidden = "3x";
  options.pr_attn_hidden = "0";
  options.pr_seg_min = 9;
  options.encoder_normalize_before = true;
  options.pr_ta = MixedLevels::kBoth;
  EXPECT_THAT(options.problems(), testing::SizeIs(4));
}

TEST(PhraseRepModel, DropsTheLogitsOfTransparentAttentionOnlyInTraining) {
  at::NoGradGuard no_grad;
  const auto all = golden();
  PhraseRepOptions options = options_of(all["variants"]["base"]["options"], all["sizes"]);
  options.set_dropout(0, 0, 0);
  const auto examples = examples_of({{5, 9, 4, 7, 8, 2}}, {{4, 12, 2}});
  const auto logits = [&](double dropout, bool training) {
    options.pr_ta_dropout = dropout;
    const CheckedModel checked(std::make_shared<PhraseRepModel>(options, setup_of(11, 13)));
    nn::Context pass = checked.context(training);
    return checked.model().forward(checked.batch(examples), pass).logits(pass);
  };
  const at::Tensor expected = logits(0, false);
  EXPECT_TRUE(at::allclose(logits(0, true), expected, 1e-10, 1e-10));
  EXPECT_TRUE(at::equal(logits(0.5, false), expected));
  EXPECT_FALSE(at::allclose(logits(0.5, true), expected, 1e-6, 1e-6));
}

TEST(PhraseRepOptions, NameValuesWithoutEffect) {
  PhraseRepOptions options;
  options.pr_seg = SegmentationKind::kNgram;
  EXPECT_THAT(options.without_effect(), testing::IsEmpty());
  options.pr_parse_bound = ParseBound::kBounded;
  options.pr_long_leaf = LongLeaf::kSplit;
  options.pr_specials = SpecialPhrases::kJoin;
  EXPECT_THAT(options.without_effect(),
              testing::ElementsAre("--pr-parse-bound has no effect without --pr-seg parse",
                                   "--pr-long-leaf has no effect without --pr-seg parse",
                                   "--pr-specials has no effect without --pr-seg parse"));
  options.pr_seg = SegmentationKind::kParse;
  EXPECT_THAT(options.without_effect(), testing::IsEmpty());
  options.pr_attn = WordAttention::kNone;
  options.pr_attn_hidden = "2d";
  EXPECT_THAT(options.without_effect(),
              testing::ElementsAre("--pr-attn-hidden has no effect with --pr-attn none"));
}

TEST(PhraseRepPresets, HaveNoValuesWithoutEffect) {
  for (const Preset& preset : phrase_rep_presets()) {
    PhraseRepOptions options;
    preset.apply(options);
    EXPECT_THAT(options.without_effect(), testing::IsEmpty()) << preset.name;
  }
}

TEST(PhraseRepOptions, TakeDForTheEncodersWidthInEveryScorer) {
  PhraseRepOptions options;
  options.encoder_embed_dim = 64;
  options.decoder_embed_dim = 96;
  for (const char* text : {"d", "64", "d,d"}) {
    options.pr_attn_hidden = text;
    EXPECT_EQ(options.scorer_widths().encoder, 64) << text;
    EXPECT_EQ(options.scorer_widths().decoder, 64) << text;
  }
  options.pr_attn_hidden = "d,2d";
  EXPECT_EQ(options.scorer_widths().decoder, 128);
  options.pr_comb_hidden = "d";
  EXPECT_EQ(options.combination_widths().decoder, 96);
}

TEST(PhraseRepOptions, BoundWidths) {
  for (const char* text : {"0",
                           "-1",
                           "",
                           "x",
                           "3.5d",
                           "65537",
                           "129d",
                           "512,65537",
                           "9223372036854775807d",
                           "99999999999999999999"}) {
    PhraseRepOptions options;
    options.pr_attn_hidden = text;
    EXPECT_THAT(options.problems(),
                testing::ElementsAre(testing::AllOf(testing::HasSubstr("--pr-attn-hidden"),
                                                    testing::HasSubstr("1 to 65536"))))
        << text;
    EXPECT_THROW(options.scorer_widths(), UsageError) << text;
  }
  PhraseRepOptions options;
  options.pr_attn_hidden = "65536";
  options.pr_comb_hidden = "128d";
  EXPECT_THAT(options.problems(), testing::IsEmpty());
}

TEST(PhraseRepOptions, BoundTheNumbersOfTheSegmentation) {
  for (const char* name : {"pr-seg-max", "pr-seg-min", "pr-seg-div"}) {
    for (const char* value : {"0", "-3", "2000000000", "9223372036854775807"}) {
      PhraseRepOptions options;
      OptionTable table;
      options.describe(table);
      EXPECT_THROW(table.find(name)->from_text(value, OptionOrigin::kCommandLine), UsageError)
          << name << " " << value;
    }
  }
}

}  // namespace
}  // namespace phraseq::phrase_rep
