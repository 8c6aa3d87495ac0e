// Training under common launchers, if they are installed: torchrun, Open MPI and Slurm.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <signal.h>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/distributed/ranks.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;

/// torchrun comes with the PyTorch wheel, which scripts/setup.sh installs into the build folder.
constexpr const char* kTorchrun = PHRASEQ_BUILD_FOLDER "/venv/bin/torchrun";
constexpr const char* kMpirun = "/usr/bin/mpirun";
constexpr const char* kSrun = "/usr/bin/srun";

class Launchers : public ::testing::Test {
 protected:
  void SetUp() override {
    write_toy_corpus(workspace_);
    ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  static Arguments training(const std::string& save_dir, int updates, const std::string& more) {
    return toy_train(save_dir, updates) +
           words(
               "--threads 1 --max-tokens 110 --save-interval-updates 5 --disable-validation "
               "--keep-interval-updates 2 --no-epoch-checkpoints --distributed-timeout 20 " +
               more);
  }

  /// Trains under `launcher`, which starts two processes, and as one process with twice as many
  /// batches per update, and expects the same model.
  void expect_the_model_of_one_process(const Arguments& launcher) {
    const Arguments command =
        launcher + Arguments{kPhraseqProgram} + training("run", 20, "--log-interval 1");
    const CommandResult result = workspace_.start_program(command).wait();
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("2 processes"));
    const CommandResult alone =
        workspace_.run(training("alone", 20, "--log-interval 1 --update-freq 2"));
    ASSERT_EQ(alone.exit_code, kExitOk) << alone.errors;
    EXPECT_EQ(losses(workspace_, "run"), losses(workspace_, "alone"));
    EXPECT_EQ(last_tensors(workspace_, "run"), last_tensors(workspace_, "alone"));
  }

  Workspace workspace_;
};

TEST_F(Launchers, ThatOfPhraseqEndsUnderACallerThatIgnoresSigchld) {
  RunningCommand command =
      workspace_.start_program(Arguments{"/usr/bin/env", "--ignore-signal=CHLD", kPhraseqProgram} +
                               training("run", 5, "--nproc-per-node 2"));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (command.is_running() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const bool has_ended = !command.is_running();
  EXPECT_TRUE(has_ended);
  if (!has_ended)
    command.send(SIGKILL);
  EXPECT_EQ(command.wait().exit_code, kExitOk);
}

TEST_F(Launchers, ThatOfPhraseqRejectsMoreProcessesThanTheMachineCanRun) {
  const auto result = workspace_.run(training("run", 5, "--nproc-per-node 4096"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("4096 processes are too many for this machine"));
}

TEST_F(Launchers, OpenMpi) {
  if (!std::filesystem::exists(kMpirun))
    GTEST_SKIP() << kMpirun << " is missing (Debian package openmpi-bin)";
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  expect_the_model_of_one_process({kMpirun, "--oversubscribe", "-np", "2"});
}

TEST_F(Launchers, Slurm) {
  if (std::system("sinfo --noheader --states=idle 2>/dev/null | grep -q .") != 0)
    GTEST_SKIP() << "there is no Slurm with an idle machine";
  expect_the_model_of_one_process({kSrun, "--ntasks=2", "--cpus-per-task=1", "--immediate=60"});
}

TEST_F(Launchers, TorchrunRestartsKilledProcesses) {
  if (!std::filesystem::exists(kTorchrun))
    GTEST_SKIP() << kTorchrun << " is missing: this build does not use the LibTorch of the wheel";
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
                               training("run", 300, ""));
  ASSERT_TRUE(has_trained(workspace_, "run", launcher, 7)) << launcher.errors_so_far();
  const auto processes = processes_by_rank(workspace_);
  ASSERT_EQ(processes.size(), 2U);
  ::kill(processes.at(1), SIGKILL);
  const CommandResult result = launcher.wait();
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("resumed from run/checkpoint"));

  const CommandResult unbroken = workspace_.run(training("unbroken", 300, "--update-freq 2"));
  ASSERT_EQ(unbroken.exit_code, kExitOk) << unbroken.errors;
  EXPECT_EQ(losses(workspace_, "run"), losses(workspace_, "unbroken"));
  EXPECT_EQ(last_tensors(workspace_, "run"), last_tensors(workspace_, "unbroken"));
}

}  // namespace
}  // namespace phraseq::end_to_end
