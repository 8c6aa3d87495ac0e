#include "core/run/training/preset_training.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

/// Some of the options of `train`.
struct SomeOptions final : Options {
  std::string criterion = "cross_entropy", optimizer = "sgd", scheduler = "fixed";
  std::string precision = "fp32";
  double lr = 0.5;
  int64_t max_tokens = 4096, batch_size = 0, warmup = 4000;
  bool share = false, bf16 = false, fp16 = false;
  int64_t encoder_width = 512, encoder_ffn = 2048, decoder_width = 512, decoder_ffn = 2048;
  void describe(OptionTable& table) override {
    table.field("criterion", criterion, "");
    table.field("optimizer", optimizer, "");
    table.field("lr-scheduler", scheduler, "");
    table.field("precision", precision, "");
    table.field("lr", lr, "");
    table.field("max-tokens", max_tokens, "");
    table.field("batch-size", batch_size, "").alias("max-sentences");
    table.field("bf16", bf16, "");
    table.field("fp16", fp16, "");
    table.field("warmup-updates", warmup, "");
    table.field("share-all-embeddings", share, "");
    table.field("encoder-embed-dim", encoder_width, "").in(1, 9999);
    table.field("encoder-ffn-embed-dim", encoder_ffn, "").in(1, 9999);
    table.field("decoder-embed-dim", decoder_width, "").in(1, 9999);
    table.field("decoder-ffn-embed-dim", decoder_ffn, "").in(1, 9999);
  }
};

class PresetTraining : public ::testing::Test {
 protected:
  PresetTraining() {
    options_.describe(table_);
    defaults_.criterion = "label_smoothed_cross_entropy";
    defaults_.optimizer = "adam";
    defaults_.lr_scheduler = "inverse_sqrt";
    defaults_.options = {
        {"lr", "0.003"}, {"max-tokens", "1000"}, {"precision", "auto"}, {"unknown-here", "7"}};
    defaults_.warmup_share = 0.1;
    defaults_.tie_when_joined = true;
  }
  void give(const char* name, const char* value) {
    table_.find(name)->from_text(value, OptionOrigin::kCommandLine);
  }
  void take_options(const std::vector<std::string>& arguments = {}) {
    take_option_values(defaults_, arguments, table_);
  }
  int64_t warmup(std::optional<int64_t> run_length, const nlohmann::json& recorded = {}) {
    take_warmup(
        defaults_, run_length, recorded.is_null() ? nlohmann::json::object() : recorded, table_);
    return options_.warmup;
  }

  TrainingDefaults defaults_;
  SomeOptions options_;
  OptionTable table_;
};

TEST_F(PresetTraining, GivesNamesAndValuesWithTheirOrigin) {
  take_component_names(defaults_, /*architecture_declares_criterion=*/false, table_);
  take_options();
  EXPECT_EQ(options_.criterion, "label_smoothed_cross_entropy");
  EXPECT_EQ(options_.optimizer, "adam");
  EXPECT_EQ(options_.scheduler, "inverse_sqrt");
  EXPECT_EQ(options_.lr, 0.003);
  EXPECT_EQ(options_.max_tokens, 1000);
  EXPECT_EQ(options_.precision, "auto");
  EXPECT_EQ(table_.find("lr")->origin, OptionOrigin::kPreset);
}

TEST_F(PresetTraining, NeverReplacesWhatTheUserGives) {
  give("criterion", "rdrop");
  give("lr", "0.5");  // also when it is the default
  table_.find("max-tokens")->from_text("77", OptionOrigin::kConfigFile);
  give("warmup-updates", "5");
  give("share-all-embeddings", "no");
  take_component_names(defaults_, false, table_);
  take_options();
  tie_embeddings(defaults_, /*joined=*/true, table_);
  EXPECT_EQ(options_.criterion, "rdrop");
  EXPECT_EQ(options_.lr, 0.5);
  EXPECT_EQ(options_.max_tokens, 77);
  EXPECT_EQ(warmup(1000), 5);
  EXPECT_FALSE(options_.share);
}

TEST_F(PresetTraining, LeavesTheCriterionThatTheArchitectureDeclares) {
  take_component_names(defaults_, /*architecture_declares_criterion=*/true, table_);
  EXPECT_EQ(options_.criterion, "cross_entropy");
  EXPECT_EQ(options_.optimizer, "adam");
}

TEST_F(PresetTraining, LeavesOutValuesThatDoNotFitWhatTheUserChose) {
  take_options({"--optimizer", "sgd", "--batch-size", "32", "--bf16"});
  EXPECT_EQ(options_.lr, 0.5) << "the learning rate of the preset is meant for adam";
  EXPECT_EQ(options_.max_tokens, 4096);
  EXPECT_EQ(options_.precision, "fp32");
}

TEST_F(PresetTraining, KeepsTheLearningRateWhenTheUserNamesTheSameOptimizer) {
  take_options({"--optimizer", "adam"});
  EXPECT_EQ(options_.lr, 0.003);
}

TEST_F(PresetTraining, TiesEmbeddingsOfJoinedDictionariesOnly) {
  tie_embeddings(defaults_, /*joined=*/false, table_);
  EXPECT_FALSE(options_.share);
  tie_embeddings(defaults_, /*joined=*/true, table_);
  EXPECT_TRUE(options_.share);
}

TEST_F(PresetTraining, GivesTheDecoderTheDimensionsOfTheEncoder) {
  take_options({"--encoder-embed-dim", "64", "--encoder-ffn-embed-dim", "128"});
  EXPECT_EQ(options_.decoder_width, 64);
  EXPECT_EQ(options_.decoder_ffn, 128);
  EXPECT_EQ(table_.find("decoder-embed-dim")->origin, OptionOrigin::kPreset);
  take_options({"--encoder-embed-dim", "wide"});  // reported when it is parsed
  take_options({"--encoder-embed-dim", "10000"});
  EXPECT_EQ(options_.decoder_width, 64);
}

TEST_F(PresetTraining, MultipliesTheWidthOfTheDecoderForItsFeedForwardLayers) {
  take_options({"--decoder-embed-dim", "48"});
  EXPECT_EQ(options_.decoder_ffn, 2048);
  defaults_.ffn_factor = 4;
  take_options({"--decoder-embed-dim", "48"});
  EXPECT_EQ(options_.decoder_ffn, 192);
}

TEST_F(PresetTraining, KeepsTheDimensionsOfTheDecoderThatAreGivenOrBelongToThePreset) {
  give("decoder-embed-dim", "32");
  defaults_.keeps_decoder_sizes = true;
  take_options({"--encoder-embed-dim", "64", "--encoder-ffn-embed-dim", "128"});
  EXPECT_EQ(options_.decoder_ffn, 2048);
  defaults_.keeps_decoder_sizes = false;
  take_options({"--encoder-embed-dim", "64", "--decoder-embed-dim", "32"});
  EXPECT_EQ(options_.decoder_width, 32);
}

TEST_F(PresetTraining, DoesNotTieEmbeddingsOfDifferentWidths) {
  give("encoder-embed-dim", "128");
  give("decoder-embed-dim", "64");
  tie_embeddings(defaults_, /*joined=*/true, table_);
  EXPECT_FALSE(options_.share);
  give("encoder-embed-dim", "64");
  tie_embeddings(defaults_, /*joined=*/true, table_);
  EXPECT_TRUE(options_.share);
}

TEST_F(PresetTraining, WarmsUpForAShareOfTheRun) {
  EXPECT_EQ(warmup(1234), 123);
  EXPECT_EQ(warmup(4), 1);
  EXPECT_EQ(warmup(1'000'000), 4000);
  EXPECT_EQ(warmup(std::nullopt), 800);
}

TEST_F(PresetTraining, KeepsTheWarmupThatACheckpointRecorded) {
  EXPECT_EQ(warmup(1000, {{"warmup_updates", 33}}), 33);
  EXPECT_EQ(warmup(1000, {{"lr", 1.0}}), 100);
}

TEST_F(PresetTraining, LeavesTheWarmupOfTheSchedulerWithoutAShare) {
  defaults_.warmup_share = 0;
  EXPECT_EQ(warmup(1000), 4000);
}

TEST(ExpectedUpdates, AreTheSmallerOfBothLimits) {
  OptimizationOptions options;
  EXPECT_EQ(expected_updates(options, 10), std::nullopt);
  options.max_update = 25;
  EXPECT_EQ(expected_updates(options, 10), 25);
  options.max_epoch = 2;
  EXPECT_EQ(expected_updates(options, 10), 20);
  options.max_update = 0;
  EXPECT_EQ(expected_updates(options, 10), 20);
}

TEST(ExpectedUpdates, FollowTheListOfUpdateFrequencies) {
  OptimizationOptions options;
  options.max_epoch = 5;
  options.update_freq = {1, 3, 4};  // of 10 batches: 10, 4, 3, 3, 3
  EXPECT_EQ(expected_updates(options, 10), 23);
  options.max_epoch = 1;
  EXPECT_EQ(expected_updates(options, 10), 10);
}

TEST(ExpectedUpdates, AreNotKnownWhenTokensDecideHowManyBatchesAnUpdateHas) {
  OptimizationOptions options;
  options.max_epoch = 5;
  options.accumulate_to_tokens = 25'000;
  EXPECT_EQ(expected_updates(options, 10), std::nullopt);
  options.max_update = 8;
  EXPECT_EQ(expected_updates(options, 10), 8);
}

}  // namespace
}  // namespace phraseq
