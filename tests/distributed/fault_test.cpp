// Processes that are killed, stopped, missing, or different.

#include <algorithm>
#include <signal.h>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/distributed/ranks.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"
#include "tests/support/count_of.h"
#include "tests/support/file_content.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kForever = 1'000'000;  // updates, so that the test has to stop the training

/// The state of a process in /proc: 'T' if it is stopped.
char state_of(pid_t process) {
  const std::string line = content_of("/proc/" + std::to_string(process) + "/stat");
  const size_t end_of_name = line.rfind(") ");
  return end_of_name == std::string::npos ? '?' : line.at(end_of_name + 2);
}

class FaultsOfRanks : public ::testing::Test {
 protected:
  FaultsOfRanks() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  static Arguments train(int updates, const std::string& more = {}) {
    return toy_train("run", updates) +
           words("--threads 1 --max-tokens 110 --distributed-timeout 20 " + more);
  }

  /// Starts a single rank, as a launcher would.
  RunningCommand start_rank(int rank, int size, const Arguments& arguments) {
    return start_with(workspace_, rank_variables(rank, size, port_), arguments);
  }

  Workspace workspace_;
  int port_ = free_port();
};

TEST_F(FaultsOfRanks, AKilledRankEndsTheOthersWithItsNumber) {
  RunningCommand first = start_rank(0, 2, train(kForever));
  RunningCommand second = start_rank(1, 2, train(kForever));
  ASSERT_TRUE(has_trained(workspace_, "run", first, 3)) << first.errors_so_far();
  second.send(SIGKILL);
  EXPECT_EQ(second.wait().exit_code, 256 + SIGKILL);
  const CommandResult result = first.wait();
  EXPECT_EQ(result.exit_code, kExitIo);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("error: rank 0 stops: rank 1 ("), HasSubstr("is gone")));
}

TEST_F(FaultsOfRanks, TheProcessWithTheStoreMayBeTheOneThatIsKilled) {
  RunningCommand first = start_rank(0, 2, train(kForever));
  RunningCommand second = start_rank(1, 2, train(kForever));
  ASSERT_TRUE(has_trained(workspace_, "run", first, 3)) << first.errors_so_far();
  first.send(SIGKILL);
  first.wait();
  const CommandResult result = second.wait();
  EXPECT_EQ(result.exit_code, kExitIo);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("rank 1 stops: rank 0 ("), HasSubstr("is gone")));
}

TEST_F(FaultsOfRanks, AServiceThatDoesNotAnswerInPlaceOfTheFirstRankEndsTheOthersAfterTheTimeout) {
  const SilentService service;
  port_ = service.port();
  RunningCommand second = start_rank(1, 2, train(3) + words("--distributed-timeout 2"));
  const CommandResult result = second.wait();
  EXPECT_EQ(result.exit_code, kExitIo);
  EXPECT_THAT(result.errors, HasSubstr("rank 1 could not reach rank 0 at 127.0.0.1:"));
}

TEST_F(FaultsOfRanks, ARankThatDoesNotAnswerEndsTheOthersAfterTheTimeout) {
  const Arguments arguments = train(kForever) + words("--distributed-timeout 10");
  RunningCommand first = start_rank(0, 2, arguments);
  RunningCommand second = start_rank(1, 2, arguments);
  ASSERT_TRUE(has_trained(workspace_, "run", first, 3)) << first.errors_so_far();
  second.send(SIGSTOP);
  const CommandResult result = first.wait();
  second.send(SIGKILL);
  EXPECT_EQ(result.exit_code, kExitIo);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("rank 0 stops: rank 1 ("), HasSubstr("is gone")));
}

TEST_F(FaultsOfRanks, ATerminationSignalToOneRankStopsAllAtTheSameUpdateAndSavesOnce) {
  RunningCommand first = start_rank(0, 2, train(kForever));
  RunningCommand second = start_rank(1, 2, train(kForever));
  ASSERT_TRUE(has_trained(workspace_, "run", first, 3)) << first.errors_so_far();
  second.send(SIGTERM);
  const CommandResult of_first = first.wait();
  EXPECT_EQ(of_first.exit_code, 128 + SIGTERM) << of_first.errors;
  EXPECT_EQ(second.wait().exit_code, 128 + SIGTERM);

  const int finished = losses(workspace_, "run").rbegin()->first;
  const CommandResult resumed = workspace_.run(train(finished + 3, "--nproc-per-node 2"));
  ASSERT_EQ(resumed.exit_code, kExitOk) << resumed.errors;
  EXPECT_THAT(resumed.errors, HasSubstr("at update " + std::to_string(finished)));
  const CommandResult unbroken = workspace_.run(
      toy_train("unbroken", finished + 3) +
      words("--threads 1 --max-tokens 110 --update-freq 2 --distributed-timeout 20"));
  ASSERT_EQ(unbroken.exit_code, kExitOk) << unbroken.errors;
  EXPECT_EQ(last_tensors(workspace_, "run"), last_tensors(workspace_, "unbroken"));
}

TEST_F(FaultsOfRanks, TheLauncherPassesSignalsOnAndStopsAllWhenOneFails) {
  RunningCommand stopped = workspace_.start(train(kForever, "--nproc-per-node 2"));
  ASSERT_TRUE(has_trained(workspace_, "run", stopped, 3)) << stopped.errors_so_far();
  stopped.send(SIGTERM);
  const CommandResult result = stopped.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGTERM) << result.errors;
  EXPECT_TRUE(workspace_.exists("run/checkpoint_last"));

  const size_t updates = losses(workspace_, "run").size();
  RunningCommand failing = workspace_.start(train(kForever, "--nproc-per-node 2"));
  ASSERT_TRUE(has_trained(workspace_, "run", failing, updates + 3)) << failing.errors_so_far();
  const auto processes = processes_by_rank(workspace_);
  ASSERT_EQ(processes.size(), 2U);
  ::kill(processes.at(1), SIGKILL);
  const CommandResult failed = failing.wait();
  EXPECT_EQ(failed.exit_code, 128 + SIGKILL);
  EXPECT_THAT(failed.errors,
              AllOf(HasSubstr("was ended by signal 9 (Killed)"), HasSubstr("rank 1 (process")));
  EXPECT_THAT(processes_by_rank(workspace_), ::testing::IsEmpty());
}

TEST_F(FaultsOfRanks, TheLauncherPausesAllAndContinuesThem) {
  RunningCommand command = workspace_.start(train(kForever, "--nproc-per-node 2"));
  ASSERT_TRUE(has_trained(workspace_, "run", command, 3)) << command.errors_so_far();
  const auto processes = processes_by_rank(workspace_);
  ASSERT_EQ(processes.size(), 2U);
  const auto are_stopped = [&] {
    return std::ranges::all_of(processes,
                               [](const auto& entry) { return state_of(entry.second) == 'T'; });
  };
  command.send(SIGTSTP);
  EXPECT_TRUE(wait_until(are_stopped));
  const size_t updates = losses(workspace_, "run").size();
  command.send(SIGCONT);
  EXPECT_TRUE(has_trained(workspace_, "run", command, updates + 3)) << command.errors_so_far();
  command.send(SIGTERM);
  EXPECT_EQ(command.wait().exit_code, 128 + SIGTERM);
}

TEST_F(FaultsOfRanks, ADivergenceIsReportedOnce) {
  const CommandResult result =
      workspace_.run(train(kForever, "--nproc-per-node 2 --lr 1e30 --max-bad-updates 2"));
  EXPECT_EQ(result.exit_code, kExitDivergence) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("The sentences are in run/diverged_batch.json"));
  EXPECT_EQ(count_of(result.errors, "error: 2 updates in a row"), 1U) << result.errors;
}

TEST_F(FaultsOfRanks, AFirstRankThatCannotSaveEndsAll) {
  const CommandResult made = workspace_.run(train(2));
  ASSERT_EQ(made.exit_code, kExitOk) << made.errors;
  ::setenv("PHRASEQ_FAILPOINT", "atomic_file.fsync:28", 1);
  const CommandResult result =
      workspace_.run(train(kForever, "--nproc-per-node 2 --save-interval-updates 3"));
  ::unsetenv("PHRASEQ_FAILPOINT");
  EXPECT_EQ(result.exit_code, kExitIo) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("rank 1 stops: rank 0 failed: "));
}

TEST_F(FaultsOfRanks, AMissingRankIsNamedSoonAndAtTheEnd) {
  const CommandResult result = start_rank(0, 3, train(5) + words("--distributed-timeout 7")).wait();
  const std::string presence =
      fmt::format("1 of 3 processes are at 127.0.0.1:{}; missing: rank 1, 2", port_);
  EXPECT_EQ(result.exit_code, kExitIo);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("waiting: " + presence), HasSubstr("after 7 s, " + presence)));
}

TEST_F(FaultsOfRanks, AnUnreachableFirstRankIsNamedWithItsVariables) {
  const CommandResult result = start_rank(1, 2, train(5) + words("--distributed-timeout 2")).wait();
  EXPECT_EQ(result.exit_code, kExitIo);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("could not reach rank 0"), HasSubstr("MASTER_ADDR")));
}

TEST_F(FaultsOfRanks, AnUnknownHostIsAnErrorAtOnce) {
  const CommandResult result = workspace_.run(
      train(5) + words("--distributed-world-size 2 --distributed-rank 1 "
                       "--distributed-init-method tcp://no-such-host.invalid:29999"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("'no-such-host.invalid', is not known"));
}

TEST_F(FaultsOfRanks, TwoRanksZeroOnOnePortAreAnError) {
  RunningCommand first = start_rank(0, 2, train(5) + words("--distributed-timeout 10"));
  const CommandResult result =
      start_rank(0, 2, train(5) + words("--distributed-timeout 10")).wait();
  const CommandResult other = first.wait();
  // The second of them cannot listen on the port.
  EXPECT_THAT(result.errors + other.errors,
              AllOf(HasSubstr("is in use"), HasSubstr("MASTER_PORT")));
}

TEST_F(FaultsOfRanks, DifferentWorldSizesAreAnError) {
  RunningCommand first = start_rank(0, 2, train(5));
  const CommandResult second = start_rank(1, 3, train(5)).wait();
  EXPECT_EQ(second.exit_code, kExitUsage);
  EXPECT_THAT(second.errors, HasSubstr("rank 0 was started with a world size of 2, rank 1 with 3"));
  EXPECT_NE(first.wait().exit_code, kExitOk);
}

/// Parameters: what differs on rank 1, and a part of the message.
class DifferentRanks : public FaultsOfRanks,
                       public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(DifferentRanks, AreRejectedBeforeTheFirstUpdate) {
  const auto& [difference, message] = GetParam();
  ASSERT_EQ(workspace_
                .run(words("preprocess --source-lang en --target-lang de --destdir other "
                           "--trainpref test --validpref dev --srcdict data-bin/dict.en.txt "
                           "--tgtdict data-bin/dict.de.txt"))
                .exit_code,
            kExitOk);
  RunningCommand first = start_rank(0, 2, train(5));
  Arguments arguments = train(5, difference);
  if (std::string(difference) == "")
    *std::find(arguments.begin(), arguments.end(), "data-bin") = "other";
  const CommandResult second = start_rank(1, 2, arguments).wait();
  const CommandResult result = first.wait();
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_EQ(second.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr(message));
  EXPECT_THAT(second.errors, Not(HasSubstr(message))) << "only the first process reports it";
  EXPECT_THAT(second.errors, HasSubstr("rank 1: stops: rank 0 reports the reason"));
  EXPECT_FALSE(workspace_.exists("run/run.json"));
}

INSTANTIATE_TEST_SUITE_P(
    OptionsAndData,
    DifferentRanks,
    ::testing::Values(std::pair("--lr 0.02", "options/lr/0: 0.01 on rank 0, 0.02 on rank 1"),
                      std::pair("--seed 8", "options/seed: 7 on rank 0, 8 on rank 1"),
                      std::pair("--threads 2", "options/threads: 1 on rank 0, 2 on rank 1"),
                      std::pair("", "data: ")),
    [](const auto& parameter) { return "Case" + std::to_string(parameter.index); });

}  // namespace
}  // namespace phraseq::end_to_end
