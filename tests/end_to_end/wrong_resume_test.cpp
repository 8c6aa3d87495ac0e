#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A run of 10 updates, which the tests continue.
class WrongResume : public ::testing::Test {
 protected:
  WrongResume() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
    EXPECT_EQ(workspace_.run(toy_train("run", 10) + words("--threads 1")).exit_code, kExitOk);
  }

  /// Preprocesses the same text into `other-bin`, with two symbols of the source dictionary
  /// swapped.
  void swap_symbols() {
    std::vector<std::string> symbols = lines_of(workspace_.read("data-bin/dict.en.txt"));
    std::swap(symbols.at(1), symbols.at(3));
    std::string swapped;
    for (const std::string& line : symbols) swapped += line + '\n';
    workspace_.write("swapped.txt", swapped);
    const CommandResult prepared = workspace_.run(
        words("preprocess --source-lang en --target-lang de --destdir other-bin --trainpref train "
              "--validpref dev --srcdict swapped.txt --tgtdict data-bin/dict.de.txt"));
    ASSERT_EQ(prepared.exit_code, kExitOk) << prepared.errors;
  }

  Workspace workspace_;
};

TEST_F(WrongResume, OtherOptionsAreShownNextToTheOldOnes) {
  const CommandResult result =
      workspace_.run(toy_train("run", 20) + words("--threads 1 --update-freq 2 --log-interval 5"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("update-freq: was [1], now [2]"), Not(HasSubstr("log-interval:"))));
}

TEST_F(WrongResume, AnotherScheduleContinuesAtTheSameUpdate) {
  const Arguments other = toy_train("run", 12) + words("--threads 1 --lr 0.02 --warmup-updates 5");
  const CommandResult refused = workspace_.run(other);
  EXPECT_EQ(refused.exit_code, kExitUsage);
  EXPECT_THAT(refused.errors,
              HasSubstr("--reset-lr-scheduler permits another learning rate and another schedule; "
                        "updates are still counted from the start of the run."));
  const CommandResult result = workspace_.run(other + words("--reset-lr-scheduler"));
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("num_updates=11, lr=0.013484,"));  // 0.02 * sqrt(5 / 11)
}

TEST_F(WrongResume, OtherOptionsThatAreAllowedAreTaken) {
  const CommandResult result = workspace_.run(
      toy_train("run", 20) + words("--threads 1 --update-freq 2 --allow-changed update_freq"));
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  // Two batches per update: with one, update 20 would be in epoch 7.
  EXPECT_THAT(result.errors, HasSubstr("epoch 008: "));
}

TEST_F(WrongResume, ADamagedCheckpointIsReplacedByAnOlderOneUnlessTheResumeIsStrict) {
  std::filesystem::resize_file(workspace_.path("run/checkpoint_4_10.safetensors"), 1000);
  const Arguments train = toy_train("run", 11) + words("--threads 1");
  const CommandResult strict = workspace_.run(train + words("--strict-resume"));
  EXPECT_EQ(strict.exit_code, kExitFormat);
  EXPECT_THAT(strict.errors, HasSubstr("checkpoint_4_10.safetensors"));
  const CommandResult result = workspace_.run(train);
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("resumed from run/checkpoint3.safetensors at update 9,"));
}

TEST_F(WrongResume, AllowedNamesThatNoOptionHasAreAnError) {
  const CommandResult result = workspace_.run(
      toy_train("run", 20) + words("--threads 1 --allow-changed update_frek,max_sentences,qqqqqq "
                                   "--allow-changed momentum"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("--allow-changed: unknown option 'update_frek'; did you mean "
                              "'update-freq'?"),
                    HasSubstr("--allow-changed: unknown option 'qqqqqq'"),
                    Not(HasSubstr("max_sentences")),  // another name of --batch-size
                    Not(HasSubstr("momentum"))));     // an option of another optimizer
}

TEST_F(WrongResume, OtherBatchesNeedTheBeginningOfTheData) {
  const Arguments other = toy_train("run", 20) + words("--threads 1 --seed 777");
  const CommandResult refused = workspace_.run(other);
  EXPECT_EQ(refused.exit_code, kExitUsage);
  EXPECT_THAT(refused.errors,
              AllOf(HasSubstr("now 777"),
                    HasSubstr("--allow-changed"),
                    HasSubstr("Other batches also need --reset-dataloader")));
  const CommandResult allowed =
      workspace_.run(other + words("--allow-changed seed --reset-dataloader"));
  EXPECT_EQ(allowed.exit_code, kExitOk) << allowed.errors;
}

/// Without training, the nll_loss of the model is greater than its loss with label smoothing.
/// Nothing improves at this learning rate.
TEST_F(WrongResume, APlateauIsThatOfTheSameMetric) {
  const auto train_on = [&](const std::string& run, const std::string& metric) {
    const std::string options =
        "--threads 1 --lr-scheduler reduce_lr_on_plateau --lr 1e-7 --warmup-updates 0 --lr-shrink "
        "0.5 "
        "--log-interval 1 --best-checkpoint-metric ";
    EXPECT_EQ(workspace_.run(toy_train(run, 3) + words(options + "loss")).exit_code, kExitOk);
    return workspace_.run(toy_train(run, 7) + words(options + metric)).errors;
  };
  EXPECT_THAT(train_on("same", "loss"), HasSubstr("num_updates=7, lr=5e-08"));
  EXPECT_THAT(train_on("other", "nll_loss"), HasSubstr("num_updates=7, lr=1e-07"));
}

TEST_F(WrongResume, TwoModelsToStartFromAreAnError) {
  const CommandResult result =
      workspace_.run(toy_train("other", 20) + words("--finetune-from-model run/checkpoint_last "
                                                    "--restore-file run/checkpoint_last"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("--finetune-from-model starts a new run"), HasSubstr("give one")));
}

TEST_F(WrongResume, FineTuningAModelOfAnotherSizeNamesSomeParameters) {
  const CommandResult tuned = workspace_.run(
      toy_train("wider", 1) +
      words("--threads 1 --finetune-from-model run/checkpoint_last --encoder-ffn-embed-dim 64 "
            "--decoder-embed-dim 64 --encoder-embed-dim 64"));
  EXPECT_EQ(tuned.exit_code, kExitFormat) << tuned.errors;
  EXPECT_THAT(tuned.errors,
              AllOf(HasSubstr("the weights do not match the architecture transformer"),
                    ::testing::ContainsRegex("and [0-9]+ more"),
                    HasSubstr("phraseq inspect --options")));
}

TEST_F(WrongResume, FineTuningWithAnotherDictionaryOfTheSameSizeIsReported) {
  swap_symbols();
  const auto tune = [&](const std::string& data) {
    Arguments arguments = toy_train("tuned-" + data, 1) +
                          words("--threads 1 --finetune-from-model run/checkpoint_last");
    arguments.at(1) = data;
    return workspace_.run(arguments);
  };
  const CommandResult tuned = tune("other-bin");
  EXPECT_EQ(tuned.exit_code, kExitOk) << tuned.errors;
  EXPECT_THAT(tuned.errors,
              AllOf(HasSubstr("the source dictionary of the data is not that of the checkpoint "
                              "(the first difference is id 5:"),
                    Not(HasSubstr("the target dictionary"))));
  EXPECT_THAT(tune("data-bin").errors, Not(HasSubstr("dictionary of the data")));
}

TEST_F(WrongResume, AnotherDictionaryIsNamed) {
  swap_symbols();
  Arguments arguments = toy_train("run", 20) + words("--threads 1");
  arguments.at(1) = "other-bin";
  const CommandResult resumed = workspace_.run(arguments);
  EXPECT_EQ(resumed.exit_code, kExitData);
  EXPECT_THAT(resumed.errors,
              HasSubstr("the source dictionary of the data is not that of the checkpoint"));

  Arguments elsewhere = toy_train("elsewhere", 20) + words("--restore-file run/checkpoint_last");
  elsewhere.at(1) = "other-bin";
  const CommandResult rejected = workspace_.run(elsewhere);
  EXPECT_EQ(rejected.exit_code, kExitData) << rejected.errors;
  EXPECT_FALSE(std::filesystem::exists(workspace_.path("elsewhere")));  // still does not exist
}

TEST_F(WrongResume, AMissingCheckpointIsNotReplacedByANewRun) {
  for (const auto& entry : std::filesystem::directory_iterator(workspace_.path("run"))) {
    if (entry.path().extension() == ".safetensors")
      std::filesystem::remove(entry.path());
  }
  const CommandResult result = workspace_.run(toy_train("run", 20) + words("--threads 1"));
  EXPECT_EQ(result.exit_code, kExitFormat);
  EXPECT_THAT(result.errors, HasSubstr("run: the folder contains no checkpoint file"));
}

TEST_F(WrongResume, ModelsWithDifferentDictionariesCannotFormAnEnsemble) {
  swap_symbols();
  Arguments arguments = toy_train("other", 2) + words("--threads 1");
  arguments.at(1) = "other-bin";
  ASSERT_EQ(workspace_.run(arguments).exit_code, kExitOk);
  for (const std::string command : {"rescore --source dev.en --target dev.de", "generate"}) {
    const CommandResult result =
        workspace_.run(words(command + " --path run:other"), workspace_.read("dev.en"));
    EXPECT_EQ(result.exit_code, kExitUsage) << command;
    EXPECT_THAT(result.errors, HasSubstr("have different dictionaries"));
  }
}

TEST_F(WrongResume, ModelsWithDifferentStartTokensCannotFormAnEnsemble) {
  const Arguments arguments = toy_train("other", 2) + words("--threads 1 --start-token bos");
  ASSERT_EQ(workspace_.run(arguments).exit_code, kExitOk);
  for (const std::string command : {"rescore --source dev.en --target dev.de", "generate"}) {
    const CommandResult result =
        workspace_.run(words(command + " --path run:other"), workspace_.read("dev.en"));
    EXPECT_EQ(result.exit_code, kExitUsage) << command;
    EXPECT_THAT(result.errors, HasSubstr("start their translations with different tokens"));
  }
}

TEST_F(WrongResume, ValidateRejectsAnEnsemble) {
  const CommandResult result = workspace_.run(words("validate data-bin --path run:run"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("validate does not support ensembles"));
}

/// The state after a signal, or a kill during the validation: the update was saved, but not the
/// epoch.
TEST_F(WrongResume, TheLastEpochEndsIfTheRunWasStoppedAtItsLastUpdate) {
  const Arguments arguments =
      toy_train("short", 2) + words("--threads 1 --max-tokens 100000 --save-interval-updates 1");
  ASSERT_EQ(workspace_.run(arguments).exit_code, kExitOk);
  for (const char* name : {"checkpoint2.safetensors", "checkpoint_best", "checkpoint_last"})
    ASSERT_TRUE(std::filesystem::remove(workspace_.path(std::string("short/") + name)));
  const CommandResult again = workspace_.run(arguments);
  EXPECT_EQ(again.exit_code, kExitOk) << again.errors;
  EXPECT_THAT(again.errors, HasSubstr("epoch 002 | valid on 'valid' subset"));
  EXPECT_TRUE(workspace_.exists("short/checkpoint2.safetensors"));
  EXPECT_TRUE(workspace_.exists("short/checkpoint_best"));
  EXPECT_THAT(workspace_.run(arguments).errors, HasSubstr("nothing to do"));
}

TEST_F(WrongResume, KeepsTheManifestOfTheEarlierRun) {
  const std::string manifest = workspace_.read("run/run.json");
  EXPECT_EQ(workspace_.run(toy_train("run", 20) + words("--update-freq 2")).exit_code, kExitUsage);
  EXPECT_EQ(workspace_.read("run/run.json"), manifest);
}

/// If it were not, a training from scratch would replace the checkpoints of the earlier one.
TEST_F(WrongResume, ANamedCheckpointThatIsMissingIsAnError) {
  const std::string before = workspace_.read("run/metrics.jsonl");
  for (const std::string name : {"checkpoint_2", "./run/checkpoint_2"}) {
    const CommandResult result =
        workspace_.run(toy_train("run", 20) + words("--threads 1 --restore-file " + name));
    EXPECT_NE(result.exit_code, kExitOk) << name;
    EXPECT_THAT(result.errors, HasSubstr("checkpoint_2"));
  }
  const CommandResult unnamed =
      workspace_.run(toy_train("run", 20) + words("--threads 1") + Arguments{"--restore-file", ""});
  EXPECT_EQ(unnamed.exit_code, kExitUsage);
  EXPECT_THAT(unnamed.errors, HasSubstr("--restore-file: the name is empty"));
  EXPECT_EQ(workspace_.read("run/metrics.jsonl"), before);
}

TEST_F(WrongResume, AMissingBestCheckpointDoesNotStartANewRun) {
  std::filesystem::remove(workspace_.path("run/checkpoint_best"));
  const CommandResult result =
      workspace_.run(toy_train("run", 20) + words("--threads 1 --restore-file checkpoint_best"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("run has checkpoints, but not this one"));
}

TEST_F(WrongResume, ARunThatSavesNothingContinuesToo) {
  const std::string before = workspace_.read("run/checkpoint_last");
  for (const std::string options : {"--no-save", "--no-save --restore-file checkpoint_best"}) {
    const CommandResult result =
        workspace_.run(toy_train("run", 20) + words("--threads 1 " + options));
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("at update 10,")) << options;
  }
  EXPECT_EQ(workspace_.read("run/checkpoint_last"), before);
  const CommandResult fresh = workspace_.run(toy_train("none", 2) + words("--threads 1 --no-save"));
  EXPECT_EQ(fresh.exit_code, kExitOk) << fresh.errors;
}

TEST_F(WrongResume, ACopyOfAPointerIsFollowed) {
  workspace_.write("run/checkpoint_of_the_paper", workspace_.read("run/checkpoint_last"));
  const CommandResult result = workspace_.run(
      toy_train("run", 20) + words("--threads 1 --restore-file checkpoint_of_the_paper"));
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("at update 10"));
}

TEST_F(WrongResume, ACheckpointMayHaveTheExtensionOfFairseq) {
  const std::string file = lines_of(workspace_.read("run/checkpoint_last")).front();
  const std::string name = std::filesystem::path(file).replace_extension(".pt");
  for (const std::string& given : {name, "run/" + name}) {
    const CommandResult result = workspace_.run(
        toy_train("run", 20) + words("--threads 1 --no-save --restore-file " + given));
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("at update 10"));
  }
}

TEST_F(WrongResume, AnAverageCannotBeResumed) {
  ASSERT_EQ(workspace_.run(words("average --inputs run/checkpoint_last --output mean.safetensors"))
                .exit_code,
            kExitOk);
  const Arguments fresh = toy_train("fresh", 20) + words("--threads 1");
  const CommandResult rejected = workspace_.run(fresh + words("--restore-file ./mean.safetensors"));
  EXPECT_EQ(rejected.exit_code, kExitFormat);
  EXPECT_THAT(rejected.errors, HasSubstr("--finetune-from-model"));
  EXPECT_EQ(workspace_.run(fresh + words("--finetune-from-model mean.safetensors")).exit_code,
            kExitOk);
}

}  // namespace
}  // namespace phraseq::end_to_end
