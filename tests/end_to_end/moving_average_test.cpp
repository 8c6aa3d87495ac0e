// Training options that store more than the parameters: the moving average and the state of the
// schedule.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTrainedParameters = "optimizer.trained_parameters";
constexpr const char* kAveragedWeight = "decoder.embed_tokens.weight";

class KeptState : public ::testing::Test {
 protected:
  KeptState() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  void train(const std::string& save_dir, int updates, const std::string& more) {
    const CommandResult result =
        workspace_.run(toy_train(save_dir, updates) + words("--threads 1 " + more));
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  }

  std::vector<std::string> of_events(const std::string& save_dir,
                                     const std::string& event,
                                     const std::string& name) const {
    std::vector<std::string> values;
    for (const auto& record : records(workspace_, save_dir, event))
      values.push_back(record.at(name).dump());
    return values;
  }

  Workspace workspace_;
};

TEST_F(KeptState, AMovingAverageIsValidatedSavedAndResumedExactly) {
  const std::string average = "--ema-decay 0.9 --ema-start-update 3";
  train("plain", 25, "");
  train("unbroken", 25, average);
  train("resumed", 12, average);
  train("resumed", 25, average);
  const auto plain = last_tensors(workspace_, "plain");
  const auto expected = last_tensors(workspace_, "unbroken");
  EXPECT_TRUE(last_tensors(workspace_, "resumed") == expected);
  EXPECT_EQ(losses(workspace_, "resumed"), losses(workspace_, "unbroken"));
  // The average does not change the training, and is stored with the names of the parameters.
  EXPECT_EQ(losses(workspace_, "unbroken"), losses(workspace_, "plain"));
  EXPECT_NE(expected.at(kAveragedWeight), plain.at(kAveragedWeight));
  EXPECT_EQ(expected.at("optimizer.exp_avg"), plain.at("optimizer.exp_avg"));
  ASSERT_TRUE(expected.contains(kTrainedParameters));
  EXPECT_FALSE(plain.contains(kTrainedParameters));
  const auto validated = of_events("unbroken", "valid", "loss");
  ASSERT_FALSE(validated.empty());
  EXPECT_NE(validated, of_events("plain", "valid", "loss"));

  const CommandResult again =
      workspace_.run(words("validate data-bin --path unbroken --format json"));
  ASSERT_EQ(again.exit_code, kExitOk) << again.errors;
  EXPECT_NEAR(nlohmann::json::parse(again.output).at("loss").get<double>(),
              std::stod(validated.back()),
              1e-5);
  const CommandResult translated = workspace_.run(words("generate --path unbroken"), "one two\n");
  EXPECT_EQ(translated.exit_code, kExitOk) << translated.errors;
}

TEST_F(KeptState, TrainingContinuesWithoutTheAverageFromTheTrainedParameters) {
  train("plain", 25, "");
  train("averaged", 12, "--store-ema --ema-decay 0.99");
  train("averaged", 25, "--allow-changed store-ema,ema-decay");
  EXPECT_TRUE(last_tensors(workspace_, "averaged") == last_tensors(workspace_, "plain"));
}

TEST_F(KeptState, ThePlateauIsKeptAcrossAResume) {
  const std::string schedule =
      "--lr-scheduler reduce_lr_on_plateau --lr 0.3 --lr-shrink 0.5 --warmup-updates 3 "
      "--max-epoch 8";
  train("unbroken", 1000, schedule);
  const auto rates = of_events("unbroken", "train", "lr");
  ASSERT_FALSE(rates.empty());
  EXPECT_NE(rates.back(), "0.3") << "the rate was never reduced, so the test proves nothing";
  const int updates = static_cast<int>(rates.size());
  train("resumed", updates * 5 / 8 + 1, schedule);
  train("resumed", 1000, schedule);
  EXPECT_EQ(losses(workspace_, "resumed"), losses(workspace_, "unbroken"));
  EXPECT_TRUE(last_tensors(workspace_, "resumed") == last_tensors(workspace_, "unbroken"));
}

TEST_F(KeptState, AListOfLearningRatesHasOneValuePerEpoch) {
  train("fixed",
        1000,
        "--lr-scheduler fixed --warmup-updates 0 --lr 0.01,0.005,0.002 --force-anneal 4 "
        "--lr-shrink 0.5 --max-epoch 5");
  const auto rates = of_events("fixed", "epoch", "lr");
  EXPECT_THAT(rates, ::testing::ElementsAre("0.01", "0.005", "0.002", "0.001", "0.0005"));

  const CommandResult rejected = workspace_.run(toy_train("other", 5) + words("--lr 0.01,0.005"));
  EXPECT_EQ(rejected.exit_code, kExitUsage);
  EXPECT_THAT(rejected.errors, HasSubstr("--lr-scheduler inverse_sqrt takes one value of --lr"));
  EXPECT_THAT(rejected.errors, HasSubstr("--lr-scheduler fixed"));
}

TEST_F(KeptState, EveryOptimizerOfFairseqTrainsAndResumes) {
  for (const std::string name : {"nag", "adagrad", "adamax", "adafactor", "adadelta", "sgd"}) {
    const std::string chosen = "--optimizer " + name +
                               (name == "nag" || name == "sgd" ? " --lr 0.001" : "") +
                               (name == "sgd" ? " --momentum 0.9" : "");
    train(name + "-unbroken", 9, chosen);
    train(name + "-resumed", 4, chosen);
    train(name + "-resumed", 9, chosen);
    EXPECT_TRUE(last_tensors(workspace_, name + "-resumed") ==
                last_tensors(workspace_, name + "-unbroken"))
        << name;
  }
}

}  // namespace
}  // namespace phraseq::end_to_end
