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

/// A run of 10 updates that is there to be gone on with.
class WrongResume : public ::testing::Test {
 protected:
  WrongResume() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
    EXPECT_EQ(workspace_.run(toy_train("run", 10) + words("--threads 1")).exit_code, kExitOk);
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

TEST_F(WrongResume, OtherOptionsThatAreAllowedAreTaken) {
  const CommandResult result = workspace_.run(
      toy_train("run", 20) + words("--threads 1 --update-freq 2 --allow-changed update-freq"));
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
}

TEST_F(WrongResume, KeepsTheManifestOfTheEarlierRun) {
  const std::string manifest = workspace_.read("run/run.json");
  EXPECT_EQ(workspace_.run(toy_train("run", 20) + words("--update-freq 2")).exit_code, kExitUsage);
  EXPECT_EQ(workspace_.read("run/run.json"), manifest);
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
