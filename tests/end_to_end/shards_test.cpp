// generate, rescore and preprocess in several processes, and gather.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <signal.h>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;

/// A model after a few updates; its translations need not be good.
class Shards : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new Workspace;
    write_toy_corpus(*shared_);
    for (const Arguments& arguments : {toy_preprocess(), toy_train("run", 60)}) {
      const CommandResult result = shared_->run(arguments);
      ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
    }
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }

  static Workspace& workspace() { return *shared_; }

  static CommandResult run(const std::string& command) { return workspace().run(words(command)); }
  static void expect_success(const std::string& command) {
    const CommandResult result = run(command);
    ASSERT_EQ(result.exit_code, kExitOk) << command << "\n" << result.errors;
  }
  static void expect_failure(const std::string& command, int code, const std::string& message) {
    const CommandResult result = run(command);
    EXPECT_EQ(result.exit_code, code) << command;
    EXPECT_THAT(result.errors, HasSubstr(message)) << command;
  }

  /// Runs `command` once for NAME.one and as `count` shards that are gathered as NAME, and compares
  /// them.
  static void expect_equal(const std::string& command, const std::string& name, int count) {
    expect_success(command + " --output " + name + ".one");
    for (int shard = 0; shard < count; ++shard) {
      expect_success(command + " --output " + name + " --num-shards " + std::to_string(count) +
                     " --shard-id " + std::to_string(shard));
    }
    expect_success("gather " + name);
    EXPECT_EQ(workspace().read(name), workspace().read(name + ".one")) << command;
  }

 private:
  static Workspace* shared_;
};

Workspace* Shards::shared_ = nullptr;

TEST_F(Shards, TogetherTranslateTextAsOneProcess) {
  expect_equal("generate --path run --input test.en", "plain", 4);
  expect_equal("generate --path run --input test.en --format jsonl --nbest 2", "jsonl", 2);
  expect_equal(
      "generate --path run --input test.en --format fairseq --nbest 3 --sampling "
      "--print-alignment",
      "fairseq",
      3);
  expect_equal("generate --path run --input test.en --buffer-size 2", "small", 40);
}

TEST_F(Shards, TogetherTranslateAndScoreADataFolder) {
  expect_success("generate data-bin --path run --output data.one");
  for (const char* shard : {"0", "1"}) {
    const CommandResult result =
        run(std::string("generate data-bin --path run --output data --num-shards 2 --shard-id ") +
            shard);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
    EXPECT_THAT(result.errors, ::testing::Not(HasSubstr("BLEU")));
  }
  expect_success("gather data --delete-shards");
  std::string one = workspace().read("data.one");
  one.erase(one.rfind("Generate test"));  // the score of all sentences
  EXPECT_EQ(workspace().read("data"), one);
  EXPECT_FALSE(workspace().exists("data.shard-0-of-2"));
  expect_equal("rescore data-bin --path run", "log-probabilities", 3);
  expect_equal("rescore --path run --source test.en --target test.de --format fairseq", "pairs", 2);
}

TEST_F(Shards, WriteToStandardOutputAndAnotherFile) {
  for (const char* shard : {"0", "1"})
    expect_success(std::string("generate --path run --input test.en --output x --num-shards 2 "
                               "--shard-id ") +
                   shard);
  const CommandResult result = run("gather x --output -");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_EQ(lines_of(result.output).size(), 30U);
  EXPECT_FALSE(workspace().exists("x"));
  expect_success("gather x --output y");
  EXPECT_EQ(workspace().read("y"), result.output);
}

TEST_F(Shards, TakeTheirNumbersFromTheLauncher) {
  const std::string command = "generate --path run --input test.en --output launched";
  expect_success(command + " --num-shards 2 --shard-id 0");
  ::setenv("SLURM_PROCID", "1", 1);
  ::setenv("SLURM_STEP_NUM_TASKS", "2", 1);
  expect_success(command + " --num-shards auto");
  ::unsetenv("SLURM_PROCID");
  ::unsetenv("SLURM_STEP_NUM_TASKS");
  expect_success("gather launched");
  EXPECT_EQ(lines_of(workspace().read("launched")).size(), 30U);
  expect_failure(command + " --num-shards auto", kExitUsage, "no launcher has started");
}

TEST_F(Shards, AKilledShardIsMissing) {
  const std::string command = "generate --path run --input many.en --output killed";
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "one two three four five six seven eight nine\n";
  workspace().write("many.en", many);
  expect_success(command + " --num-shards 2 --shard-id 0");
  expect_success(command + " --num-shards 2 --shard-id 1");
  ASSERT_TRUE(workspace().exists("killed.shard-1-of-2"));
  // In a second run, the shard of the earlier run must not be mistaken for that of the killed one.
  RunningCommand second =
      workspace().start(words(command + " --num-shards 2 --shard-id 1 --beam 40"));
  while (second.is_running() && workspace().exists("killed.shard-1-of-2"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  second.send(SIGKILL);
  EXPECT_EQ(second.wait().exit_code, 256 + SIGKILL);
  expect_failure("gather killed", kExitData, "1 of 2 shards is missing: 1");
  EXPECT_FALSE(workspace().exists("killed"));
}

TEST_F(Shards, OfOtherInputModelsOrOptionsAreRejected) {
  const std::string command = "generate --path run --output other --num-shards 2";
  const auto expect_difference = [&](const std::string& second, const std::string& what) {
    expect_success(command + " --shard-id 0 --input test.en");
    expect_success(second);
    expect_failure("gather other", kExitData, what);
  };
  expect_difference(command + " --shard-id 1 --input test.de", "of different runs: input is");
  expect_difference(command + " --shard-id 1 --input test.en --beam 2",
                    "of different runs: options is");
  expect_success("average run/checkpoint_last --output other-model");
  expect_difference(
      "generate --path other-model --output other --num-shards 2 --shard-id 1 "
      "--input test.en",
      "of different runs: models is");
  expect_success(command + " --shard-id 1 --input test.en --workers 1");
  expect_success("gather other");
}

TEST_F(Shards, RejectWrongNumbersAndWhatNeedsAllSentences) {
  const std::string command = "generate --path run --input test.en";
  expect_failure(command + " --output o --num-shards 2 --shard-id 2",
                 kExitUsage,
                 "--shard-id is 2, but there are 2 shards (from 0 to 1)");
  expect_failure(command + " --output o --num-shards 2", kExitUsage, "needs --shard-id");
  expect_failure(command + " --num-shards 2 --shard-id 1", kExitUsage, "give --output FILE");
  expect_failure(command + " --output o --quiet --num-shards 2 --shard-id 1",
                 kExitUsage,
                 "--quiet prints the score");
  expect_failure("gather nothing", kExitData, "there are no shards");
  expect_failure("preprocess -s en -t de --trainpref train --num-shards 2 --shard-id 0",
                 kExitUsage,
                 "--num-shards needs the same dictionaries in all shards");
}

TEST_F(Shards, DoNotRemoveTheirInput) {
  workspace().write("part.shard-0-of-2", "one two\n");
  for (const std::string command : {"generate --path run --input part.shard-0-of-2",
                                    "rescore --path run --source test.en --target "
                                    "part.shard-0-of-2"}) {
    expect_failure(command + " --output part --num-shards 2 --shard-id 0",
                   kExitUsage,
                   "part.shard-0-of-2: is one of the inputs");
    EXPECT_EQ(workspace().read("part.shard-0-of-2"), "one two\n") << command;
  }
}

TEST_F(Shards, OfPreprocessingBecomeTheDataFolderOfOneProcess) {
  const std::string command =
      "preprocess -s en -t de --trainpref train --validpref dev --srcdict data-bin/dict.en.txt "
      "--tgtdict data-bin/dict.de.txt --destdir ";
  expect_success(command + "whole");
  for (const char* shard : {"0", "1", "2"})
    expect_success(command + "parts --num-shards 3 --shard-id " + shard);
  expect_success("gather parts --delete-shards");
  namespace fs = std::filesystem;
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(workspace().path("whole"))) {
    const std::string name = entry.path().filename();
    if (name == "manifest.json")
      continue;  // records --destdir
    EXPECT_EQ(workspace().read("parts/" + name), workspace().read("whole/" + name)) << name;
    ++files;
  }
  EXPECT_EQ(files, 10U);
  EXPECT_FALSE(workspace().exists("parts.shard-0-of-3"));
  expect_success("validate parts --path run");
}

TEST_F(Shards, OfPreprocessingReplaceOnlyShards) {
  const std::string command =
      "preprocess -s en -t de --trainpref train --srcdict data-bin/dict.en.txt "
      "--tgtdict data-bin/dict.de.txt --num-shards 2 --shard-id 0 --destdir ";
  std::filesystem::create_directory(workspace().path("own.shard-0-of-2"));
  workspace().write("own.shard-0-of-2/notes", "mine");
  expect_failure(command + "own",
                 kExitUsage,
                 "own.shard-0-of-2: exists, and is not a shard of an earlier run");
  EXPECT_EQ(workspace().read("own.shard-0-of-2/notes"), "mine");
  workspace().write("file.shard-0-of-2", "mine");
  expect_failure(command + "file", kExitIo, "file.shard-0-of-2");
  EXPECT_EQ(workspace().read("file.shard-0-of-2"), "mine");
  expect_success(command + "twice");
  expect_success(command + "twice --overwrite");
  workspace().write("twice.shard-0-of-2/manifest.json", R"({"complete": false})");
  expect_success(command + "twice --overwrite");
}

TEST_F(Shards, OfPreprocessingReplaceALinkAndNotWhereItLeads) {
  std::filesystem::create_directory(workspace().path("elsewhere"));
  std::filesystem::create_directory_symlink(workspace().path("elsewhere"),
                                            workspace().path("linked.shard-0-of-2"));
  expect_success(
      "preprocess -s en -t de --trainpref train --srcdict data-bin/dict.en.txt "
      "--tgtdict data-bin/dict.de.txt --num-shards 2 --shard-id 0 --destdir linked");
  EXPECT_FALSE(std::filesystem::is_symlink(workspace().path("linked.shard-0-of-2")));
  EXPECT_TRUE(workspace().exists("linked.shard-0-of-2/manifest.json"));
  EXPECT_TRUE(std::filesystem::is_empty(workspace().path("elsewhere")));
}

}  // namespace
}  // namespace phraseq::end_to_end
