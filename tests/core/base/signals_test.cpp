#include "core/base/signals.h"

#include <csignal>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "core/base/unfinished_files.h"
#include "tests/core/io/child_process.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

void (*action_of(int number))(int) {
  struct sigaction action = {};
  ::sigaction(number, nullptr, &action);
  return action.sa_handler;
}

TEST(StopSignals, SetTheFlagWhileAnObjectLives) {
  const int status = in_child([] {
    const StopSignals signals;
    std::raise(SIGHUP);
    if (signals.requested() != SIGHUP)
      ::_exit(11);
    std::raise(SIGTERM);  // the second ends the process
  });
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
}

TEST(StopSignals, CountASecondOneWithinTheGivenTimeAsTheSame) {
  const int status = in_child([] {
    StopSignals::take_repeats_for_one(60'000);
    const StopSignals signals;
    std::raise(SIGTERM);
    std::raise(SIGINT);
    if (signals.requested() == 0)
      ::_exit(11);
    StopSignals::take_repeats_for_one(0);
    std::raise(SIGHUP);
  });
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGHUP);
}

TEST(StopSignals, CountAllThatFollowTheEndOfTheLauncherAsOne) {
  const int status = in_child([] {
    StopSignals::take_repeats_for_one_without(::getppid() + 1);  // not the parent, as after its end
    const StopSignals signals;
    std::raise(SIGTERM);
    std::raise(SIGTERM);
    if (signals.requested() != SIGTERM)
      ::_exit(11);
    StopSignals::take_repeats_for_one_without(::getppid());
    std::raise(SIGHUP);
  });
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGHUP);
}

TEST(StopSignals, OutliveARequestForACheckpoint) {
  const int status = in_child([] {
    outlive_checkpoint_requests();
    std::raise(SIGUSR1);
    { const StopSignals signals; }
    std::raise(SIGUSR1);
    ::_exit(12);
  });
  EXPECT_EQ(WEXITSTATUS(status), 12);
}

TEST(StopSignals, DeliverARequestForACheckpointThatWasHeldBack) {
  const int status = in_child([] {
    hold_checkpoint_requests();
    std::raise(SIGUSR1);
    outlive_checkpoint_requests();
    StopSignals signals;
    ::_exit(signals.take_checkpoint_request() && !signals.take_checkpoint_request() ? 12 : 13);
  });
  EXPECT_EQ(WEXITSTATUS(status), 12);
}

TEST(StopSignals, LeaveIgnoredWhatTheCallerIgnores) {
  const int status = in_child([] {
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
      std::signal(number, SIG_IGN);
      remove_unfinished_on_signals();
      {
        StopSignals signals;
        std::raise(number);
        if (signals.requested() != 0 || signals.take_checkpoint_request())
          ::_exit(11);
      }
      if (action_of(number) != SIG_IGN)
        ::_exit(12);
      std::signal(number, SIG_DFL);
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(StopSignals, RestoreTheEarlierHandlers) {
  const int status = in_child([] {
    remove_unfinished_on_signals();
    const auto before = action_of(SIGINT);
    { const StopSignals signals; }
    if (action_of(SIGINT) != before || before == SIG_DFL)
      ::_exit(11);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(UnfinishedFiles, AreRemovedByTheSignalThatEndsTheProcess) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.file("staging"));
    for (int i = 0; i < 300; ++i) folder.write("staging/" + std::to_string(i), "x");
    folder.write("file", "x");
    folder.write("finished", "x");
    const int status = in_child([&] {
      std::signal(number, SIG_DFL);  // shells start background jobs with SIGINT ignored
      remove_unfinished_on_signals();
      for (const char* name : {"staging", "file", "finished"})
        remember_unfinished(folder.file(name));
      forget_unfinished(folder.file("finished"));
      std::raise(number);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"finished"});
  }
}

TEST(UnfinishedFiles, BelongToTheProcessThatNamedThem) {
  const TemporaryFolder folder;
  remember_unfinished(folder.write("file", "x"));
  in_child([] { remove_unfinished(); });
  EXPECT_EQ(folder.entries(), 1U);
  remove_unfinished();
  EXPECT_EQ(folder.entries(), 0U);
  forget_unfinished(folder.file("file"));
}

bool is_blocked(int number) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, number) == 1;
}

TEST(SignalsBlocked, BlockAllButBusErrorsUntilTheEndOfTheScope) {
  ASSERT_FALSE(is_blocked(SIGTERM));
  {
    const SignalsBlocked blocked;
    EXPECT_TRUE(is_blocked(SIGTERM));
    EXPECT_FALSE(is_blocked(SIGBUS));
  }
  EXPECT_FALSE(is_blocked(SIGTERM));
}

}  // namespace
}  // namespace phraseq
