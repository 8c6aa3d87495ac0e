// What torchrun starts, and starts again.

#include <filesystem>
#include <signal.h>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/distributed/ranks.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;

/// Comes with the PyTorch wheel, which scripts/setup.sh installs into the build folder.
constexpr const char* kTorchrun = PHRASEQ_BUILD_FOLDER "/venv/bin/torchrun";

class Torchrun : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kTorchrun))
      GTEST_SKIP() << kTorchrun << " is missing: this build uses another LibTorch than the wheel";
    write_toy_corpus(workspace_);
    ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  static Arguments training(const std::string& save_dir, const std::string& more) {
    return toy_train(save_dir, 300) +
           words(
               "--threads 1 --max-tokens 110 --save-interval-updates 5 --disable-validation "
               "--keep-interval-updates 2 --no-epoch-checkpoints --distributed-timeout 20 " +
               more);
  }

  Workspace workspace_;
};

TEST_F(Torchrun, StartsAgainWhatWasKilledAndItContinuesFromTheLastCheckpoint) {
  RunningCommand launcher =
      workspace_.start_program(Arguments{kTorchrun,
                                         "--nproc-per-node",
                                         "2",
                                         "--max-restarts",
                                         "1",
                                         "--rdzv-endpoint",
                                         "127.0.0.1:" + std::to_string(free_port()),
                                         "--rdzv-backend",
                                         "c10d",
                                         "--no-python",
                                         kPhraseqProgram} +
                               training("run", ""));
  ASSERT_TRUE(has_trained(workspace_, "run", launcher, 7)) << launcher.errors_so_far();
  const auto processes = processes_by_rank(workspace_);
  ASSERT_EQ(processes.size(), 2U);
  ::kill(processes.at(1), SIGKILL);
  const CommandResult result = launcher.wait();
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("resumed from run/checkpoint"));

  const CommandResult unbroken = workspace_.run(training("unbroken", "--update-freq 2"));
  ASSERT_EQ(unbroken.exit_code, kExitOk) << unbroken.errors;
  EXPECT_EQ(losses(workspace_, "run"), losses(workspace_, "unbroken"));
  EXPECT_EQ(last_tensors(workspace_, "run"), last_tensors(workspace_, "unbroken"));
}

}  // namespace
}  // namespace phraseq::end_to_end
