// --max-tokens auto and --batch-size auto: the largest batch that there is memory for, as a user
// sees it.

#include <cstdlib>

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
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

class AutomaticBatches : public ::testing::Test {
 protected:
  AutomaticBatches() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  /// Trains an architecture that has memory for batches of up to `most` target tokens.
  CommandResult train(const std::string& save_dir, int updates, int most, const std::string& more) {
    return workspace_.run(
        toy_train(save_dir, updates) +
        words("--plugin-dir " THROWING_PLUGIN_FOLDER
              " --arch throwing --throw-in forward --thrown memory --disable-validation "
              "--throw-above " +
              std::to_string(most) + " " + more));
  }

  nlohmann::json manifest(const std::string& save_dir) const {
    return nlohmann::json::parse(workspace_.read(save_dir + "/run.json"));
  }
  int option(const std::string& save_dir, const std::string& name) const {
    return manifest(save_dir).at("options").at(name).at("value").get<int>();
  }

  Workspace workspace_;
};

TEST_F(AutomaticBatches, AreAsLargeAsMemoryAllowsAndStaySoWhenResumed) {
  const auto first = train("run", 3, 150, "--max-tokens auto");
  ASSERT_EQ(first.exit_code, kExitOk) << first.errors;
  EXPECT_THAT(first.errors, AllOf(HasSubstr("--max-tokens auto: "), Not(HasSubstr("divided"))));
  const int tokens = option("run", "max_tokens");
  // At most one sentence and a twentieth below the limit.
  EXPECT_THAT(tokens, AllOf(Ge(130), Le(150)));
  const auto found = manifest("run").at("automatic_batches");
  EXPECT_EQ(found.at("option"), "max-tokens");
  EXPECT_EQ(found.at("value"), tokens);
  EXPECT_EQ(found.at("found"), "by trial");

  const auto resumed = train("run", 6, 40, "--max-tokens auto --allow-changed throw-above");
  ASSERT_EQ(resumed.exit_code, kExitOk) << resumed.errors;
  EXPECT_THAT(resumed.errors,
              AllOf(HasSubstr("--max-tokens auto: " + std::to_string(tokens) + ", as before"),
                    HasSubstr("divided a batch because of insufficient memory")));
  EXPECT_EQ(option("run", "max_tokens"), tokens);
}

/// The trials have no effect on the model, the dropout or the order of the data.
TEST_F(AutomaticBatches, TrainLikeTheNumberThatWasFound) {
  ASSERT_EQ(train("auto", 4, 150, "--max-tokens auto").exit_code, kExitOk);
  const std::string number = std::to_string(option("auto", "max_tokens"));
  ASSERT_EQ(train("given", 4, 150, "--max-tokens " + number).exit_code, kExitOk);
  EXPECT_EQ(losses(workspace_, "auto"), losses(workspace_, "given"));
  EXPECT_EQ(last_tensors(workspace_, "auto"), last_tensors(workspace_, "given"));
}

TEST_F(AutomaticBatches, CountSentencesToo) {
  const auto result = train("run", 3, 100, "--max-tokens 0 --batch-size auto --threads 1");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  // Sentences of up to 7 words and </s>.
  EXPECT_THAT(option("run", "batch_size"), AllOf(Ge(11), Le(13)));
  EXPECT_EQ(option("run", "max_tokens"), 0);
}

/// All processes use the number of the one with the least memory; here, all have the same.
TEST_F(AutomaticBatches, AreTheSameInAllProcesses) {
  const auto result = train("run", 3, 150, "--max-tokens auto --nproc-per-node 2 --threads 1");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(option("run", "max_tokens"), AllOf(Ge(130), Le(150)));
}

TEST_F(AutomaticBatches, NeedMemoryForTheLongestSentence) {
  const auto none = train("run", 3, 3, "--max-tokens auto");
  EXPECT_EQ(none.exit_code, kExitIo);
  EXPECT_THAT(none.errors,
              HasSubstr("out of memory: --max-tokens auto: a batch of one sentence of up to 8 "
                        "tokens does not fit into"));
  const auto both = train("run", 3, 150, "--max-tokens auto --batch-size auto");
  EXPECT_EQ(both.exit_code, kExitUsage);
  EXPECT_THAT(both.errors, HasSubstr("cannot be combined"));
}

/// A token needs about a megabyte, and a process without batches half a gigabyte. The limit is one
/// of data, because LibTorch with CUDA takes gigabytes of address space.
TEST_F(AutomaticBatches, StayBelowALimitOfTheSystem) {
  const auto tokens_within = [&](int64_t mebibytes) {
    std::string command = kPhraseqProgram;
    for (const auto& argument :
         toy_train("limited", 4) +
             words("--max-tokens auto --encoder-ffn-embed-dim 65536 --decoder-ffn-embed-dim 65536 "
                   "--threads 1 --no-save --disable-validation"))
      command += " '" + argument + "'";
    const std::string line = "cd " + workspace_.path("") + " && ( ulimit -d " +
                             std::to_string(mebibytes << 10) + "; exec " + command +
                             " ) 2> errors.txt";
    EXPECT_EQ(std::system(line.c_str()), 0) << workspace_.read("errors.txt");
    const std::string errors = workspace_.read("errors.txt"), found = "--max-tokens auto: ";
    EXPECT_THAT(errors, AllOf(HasSubstr(found), Not(HasSubstr("because of insufficient memory"))));
    return std::stoi(errors.substr(errors.find(found) + found.size()));
  };
  const int some = tokens_within(1400), more = tokens_within(1700);
  EXPECT_GT(some, 8);  // the length of the longest sentence
  EXPECT_LT(some, more);
}

}  // namespace
}  // namespace phraseq::end_to_end
