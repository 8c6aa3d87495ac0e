#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class TrainingRules : public ::testing::Test {
 protected:
  TrainingRules() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  CommandResult train(int updates, const std::string& more) {
    return workspace_.run(toy_train("run", updates) + words("--threads 1 " + more));
  }

  /// The checkpoints of the run, without pointers, metrics and manifest.
  std::set<std::string> checkpoints() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(workspace_.path("run"))) {
      if (entry.path().extension() == ".safetensors")
        names.insert(entry.path().filename().string());
    }
    return names;
  }

  /// All records of one kind in metrics.jsonl.
  std::vector<nlohmann::json> records(const std::string& event,
                                      const std::string& save_dir = "run") const {
    return end_to_end::records(workspace_, save_dir, event);
  }

  Workspace workspace_;
};

TEST_F(TrainingRules, EveryUpdateWhoseGradientIsClippedIsCounted) {
  ASSERT_EQ(train(8, "--clip-norm 0 --log-interval 1 --disable-validation").exit_code, kExitOk);
  std::vector<double> norms;
  for (const auto& record : records("train")) {
    EXPECT_EQ(record.at("clipped"), 0.0);
    norms.push_back(record.at("gradient_norm"));
  }
  ASSERT_EQ(norms.size(), 8U);
  std::sort(norms.begin(), norms.end());
  const double clip = (norms[3] + norms[4]) / 2;
  ASSERT_EQ(workspace_
                .run(toy_train("clipped", 8) +
                     words("--threads 1 --log-interval 1 --disable-validation --clip-norm") +
                     Arguments{nlohmann::json(clip).dump()})
                .exit_code,
            kExitOk);
  int clipped = 0;
  for (const auto& record : records("train", "clipped")) {
    const bool expected = record.at("gradient_norm").get<double>() > clip;
    EXPECT_EQ(record.at("clipped"), expected ? 1.0 : 0.0);
    clipped += expected ? 1 : 0;
  }
  EXPECT_GT(clipped, 0);
  EXPECT_LT(clipped, 8);
}

TEST_F(TrainingRules, ARunThatDivergesReportsWithWhichSentencesAndKeepsItsCheckpoints) {
  ASSERT_EQ(train(20, "").exit_code, kExitOk);
  const auto before = last_tensors(workspace_, "run");
  const CommandResult result = train(
      100,
      "--lr 1e30 --allow-changed lr --max-bad-updates 3 --disable-validation --save-interval 99");
  EXPECT_EQ(result.exit_code, kExitDivergence) << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("3 updates in a row"), HasSubstr("--clip-norm")));
  EXPECT_TRUE(workspace_.exists("run/diverged_batch.json"));
  EXPECT_TRUE(last_tensors(workspace_, "run") == before);
}

TEST_F(TrainingRules, KeepsTheLastEpochsAndUpdatesAskedFor) {
  ASSERT_EQ(train(1000,
                  "--max-epoch 5 --keep-last-epochs 2 --save-interval-updates 4 "
                  "--keep-interval-updates 1 --disable-validation")
                .exit_code,
            kExitOk);
  const auto kept = checkpoints();
  EXPECT_THAT(kept, Contains("checkpoint4.safetensors"));
  EXPECT_THAT(kept, Contains("checkpoint5.safetensors"));
  EXPECT_EQ(kept.size(), 3u) << ::testing::PrintToString(kept);
}

/// An epoch is one update.
TEST_F(TrainingRules, SavesTheBestModelOnceIfItsUpdateEndsAnEpoch) {
  ASSERT_EQ(train(3, "--max-tokens 100000 --validate-interval-updates 1").exit_code, kExitOk);
  EXPECT_EQ(records("valid").size(), 3U);
  EXPECT_THAT(
      checkpoints(),
      ElementsAre("checkpoint1.safetensors", "checkpoint2.safetensors", "checkpoint3.safetensors"));
  EXPECT_TRUE(workspace_.exists("run/checkpoint_best"));
}

TEST_F(TrainingRules, FurtherSplitsAreValidatedAndDecideNothing) {
  const std::string twice = "--eval-bleu --validate-interval 99 --validate-interval-updates 10 ";
  ASSERT_EQ(train(20, twice + "--save-dir one").exit_code, kExitOk);
  ASSERT_EQ(train(20,
                  twice + "--save-dir two --valid-subset valid,test "
                          "--tensorboard-logdir boards")
                .exit_code,
            kExitOk);
  const auto deciding = records("valid", "two"), alone = records("valid", "one");
  const auto further = records("valid_further", "two");
  ASSERT_EQ(deciding.size(), 2U);
  ASSERT_EQ(further.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    for (const char* key : {"subset", "loss", "score", "best", "updates"})
      EXPECT_EQ(deciding[i].at(key), alone[i].at(key)) << key;
    EXPECT_EQ(further[i].at("subset"), "test");
    EXPECT_EQ(further[i].at("updates"), deciding[i].at("updates"));
    EXPECT_TRUE(further[i].contains("score"));
    EXPECT_FALSE(further[i].contains("best"));
  }
  EXPECT_TRUE(workspace_.exists("boards/test"));

  const CommandResult validated = workspace_.run(
      words("validate data-bin --path two/checkpoint_last --valid-subset test,valid --format json "
            "--criterion label_smoothed_cross_entropy"));
  ASSERT_EQ(validated.exit_code, kExitOk) << validated.errors;
  const auto printed = lines_of(validated.output);
  ASSERT_EQ(printed.size(), 2U);
  const std::array<nlohmann::json, 2> logged = {further[1], deciding[1]};
  for (size_t i = 0; i < 2; ++i) {
    const auto result = nlohmann::json::parse(printed[i]);
    EXPECT_EQ(result.at("subset"), logged[i].at("subset"));
    EXPECT_EQ(result.at("sentences"), logged[i].at("sentences"));
    EXPECT_NEAR(result.at("nll_loss"), logged[i].at("nll_loss"), 1e-5);
  }
}

TEST_F(TrainingRules, AFurtherSplitDoesNotChangeTheBestScore) {
  ASSERT_EQ(train(10, "").exit_code, kExitOk);
  const std::string forgets = "the best score so far does not count";
  const auto resumed = train(20, "--valid-subset valid,test");
  ASSERT_EQ(resumed.exit_code, kExitOk) << resumed.errors;
  EXPECT_THAT(resumed.errors, Not(HasSubstr(forgets)));
  EXPECT_THAT(train(30, "--valid-subset test,valid").errors,
              HasSubstr("valid_subset was \"valid\", now \"test\": " + forgets));
}

TEST_F(TrainingRules, KeepsTheBestOfOneSplitNextToThoseOfAnother) {
  const auto best = [this] {
    std::set<std::string> names = checkpoints();
    std::erase_if(names, [](const std::string& name) { return name.find(".best_") == name.npos; });
    return names;
  };
  ASSERT_EQ(train(20, "--keep-best-checkpoints 1").exit_code, kExitOk);
  const auto of_first = best();
  ASSERT_EQ(of_first.size(), 1U);
  const std::string other = "--keep-best-checkpoints 1 --valid-subset test";
  for (const int updates : {30, 40}) {
    ASSERT_EQ(train(updates, other).exit_code, kExitOk);
    EXPECT_EQ(best().size(), 2U) << updates;
    EXPECT_THAT(best(), Contains(*of_first.begin())) << updates;
  }
}

TEST_F(TrainingRules, EndsWhenPatienceDoes) {
  // With a learning rate that is far too large, no later validation is better than the best one.
  ASSERT_EQ(train(10000, "--lr 1 --patience 2 --max-epoch 100").exit_code, kExitOk);
  const auto validations = records("valid");
  ASSERT_GE(validations.size(), 3u);
  ASSERT_LT(validations.size(), 100u);
  const size_t best = validations.size() - 3;
  for (size_t i = 0; i < validations.size(); ++i) {
    EXPECT_GE(validations[i].at("loss"), validations[best].at("loss")) << "validation " << i;
  }
}

TEST_F(TrainingRules, AnUpdateHoldsTheBatchesOfUpdateFreqByEpoch) {
  ASSERT_EQ(train(1000, "--max-epoch 2 --update-freq 1,3").exit_code, kExitOk);
  const auto epochs = records("epoch");
  ASSERT_EQ(epochs.size(), 2u);
  const int batches = epochs[0].at("batches");
  EXPECT_EQ(epochs[0].at("updates"), batches);
  EXPECT_EQ(epochs[1].at("updates"), batches + (batches + 2) / 3);
  EXPECT_EQ(epochs[0].at("tokens"), epochs[1].at("tokens"));
}

TEST_F(TrainingRules, TheLastSmallerGroupOfAnEpochIsAnUpdateOfItsOwn) {
  ASSERT_EQ(train(1000, "--max-epoch 1 --save-dir single").exit_code, kExitOk);
  const auto single = records("epoch", "single").front();
  const int batches = single.at("batches");
  ASSERT_GE(batches, 3);
  // One batch remains, the group lacks one batch, and the group is much larger than the epoch.
  for (const int group : {batches - 1, batches + 1, 10 * batches}) {
    const std::string folder = "group" + std::to_string(group);
    const CommandResult result = train(
        100, "--max-epoch 2 --update-freq " + std::to_string(group) + " --save-dir " + folder);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
    const auto epochs = records("epoch", folder);
    ASSERT_EQ(epochs.size(), 2u) << folder;
    for (int i = 0; i < 2; ++i) {
      const auto& epoch = epochs[static_cast<size_t>(i)];
      EXPECT_EQ(epoch.at("updates"), (i + 1) * ((batches + group - 1) / group)) << folder;
      EXPECT_EQ(epoch.at("tokens"), single.at("tokens")) << folder;
    }
    EXPECT_EQ(records("valid", folder).size(), 2u) << folder;
    EXPECT_TRUE(workspace_.exists(folder + "/checkpoint2.safetensors")) << folder;
  }
}

TEST_F(TrainingRules, AnEpochEndsWithTheLastUpdateOfTheRun) {
  ASSERT_EQ(train(1000, "--max-epoch 1").exit_code, kExitOk);
  const int batches = records("epoch").front().at("batches");
  ASSERT_EQ(train(2 * batches, "--save-dir exact").exit_code, kExitOk);
  EXPECT_EQ(records("epoch", "exact").size(), 2u);
  EXPECT_EQ(records("valid", "exact").size(), 2u);
  EXPECT_TRUE(workspace_.exists("exact/checkpoint2.safetensors"));
  EXPECT_FALSE(
      workspace_.exists("exact/checkpoint_2_" + std::to_string(2 * batches) + ".safetensors"));
  ASSERT_EQ(train(2 * batches + 1, "--save-dir exact").exit_code, kExitOk);
  EXPECT_EQ(records("epoch", "exact").size(), 2u);
  EXPECT_EQ(records("valid", "exact").back().at("updates"), 2 * batches + 1);
}

TEST_F(TrainingRules, AnEpochEndsWhateverNumberOfTokensAnUpdateHas) {
  ASSERT_EQ(train(1000, "--max-epoch 1 --save-dir single").exit_code, kExitOk);
  const auto single = records("epoch", "single").front();
  const int64_t tokens = single.at("tokens");
  for (const int64_t enough : {tokens * 2 / 3, tokens - 1, tokens + 1}) {
    const std::string folder = "tokens" + std::to_string(enough);
    const CommandResult result = train(
        100,
        "--max-epoch 2 --accumulate-to-tokens " + std::to_string(enough) + " --save-dir " + folder);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
    const auto epochs = records("epoch", folder);
    ASSERT_EQ(epochs.size(), 2u) << folder;
    for (const auto& epoch : epochs) EXPECT_EQ(epoch.at("tokens"), tokens) << folder;
    EXPECT_EQ(records("valid", folder).size(), 2u) << folder;
  }
}

TEST_F(TrainingRules, LearnsInBf16AsInFp32) {
  ASSERT_EQ(train(60, "").exit_code, kExitOk);
  const double fp32 = std::stod(losses(workspace_, "run").rbegin()->second);
  ASSERT_EQ(workspace_.run(toy_train("bf16", 60) + words("--precision bf16 --threads 1")).exit_code,
            kExitOk);
  const double bf16 = std::stod(losses(workspace_, "bf16").rbegin()->second);
  EXPECT_LT(fp32, 0.8 * std::stod(losses(workspace_, "run").begin()->second));
  EXPECT_NEAR(bf16, fp32, 0.1 * fp32);
  EXPECT_NE(bf16, fp32);
}

TEST_F(TrainingRules, ValuesWithoutEffectAreNamedBeforeTheFirstUpdate) {
  const auto warnings = [&](const std::string& options) {
    const CommandResult result = workspace_.run(
        words("train data-bin --max-update 1 --threads 1 --no-save --save-dir run " + options));
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result.errors;
  };
  EXPECT_THAT(warnings("--arch phrase_rep_tiny --encoder-layers 1 --decoder-layers 1 "
                       "--no-share-all-embeddings --pr-ta none --pr-ta-dropout 0.1"),
              HasSubstr("--pr-ta-dropout has no effect with --pr-ta none"));
  EXPECT_THAT(warnings("--arch rnnsearch_tiny --hidden 16 --coverage none --coverage-dim 4"),
              AllOf(HasSubstr("--coverage-dim has no effect without --coverage neural"),
                    Not(HasSubstr("--coverage-gate has no effect"))));
}

TEST_F(TrainingRules, TheManifestRecordsWhereEachOptionCameFrom) {
  ASSERT_EQ(train(1, "").exit_code, kExitOk);
  const auto manifest = nlohmann::json::parse(workspace_.read("run/run.json"));
  const auto& options = manifest.at("options");
  EXPECT_EQ(options.at("lr").at("value"), nlohmann::json::array({0.01}));
  EXPECT_EQ(options.at("lr").at("origin"), "command line");
  EXPECT_EQ(options.at("patience").at("origin"), "default");
}

/// The file leaves options unset that the preset and the data determine.
TEST_F(TrainingRules, ThePrintedConfigurationTrainsTheSameModel) {
  const Arguments options =
      words("train data-bin --arch transformer_tiny --max-update 3 --threads 1 --save-dir direct");
  workspace_.write("config.ini", workspace_.run(options + words("--print-config")).output);
  ASSERT_EQ(workspace_.run(options).exit_code, kExitOk);
  const CommandResult again = workspace_.run(words("train --config config.ini --save-dir again"));
  ASSERT_EQ(again.exit_code, kExitOk) << again.errors;
  EXPECT_EQ(last_tensors(workspace_, "again"), last_tensors(workspace_, "direct"));
}

}  // namespace
}  // namespace phraseq::end_to_end
