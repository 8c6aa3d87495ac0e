// What a stopped command leaves behind: nothing, or files that the next one removes.

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StoppedOutput : public ::testing::Test {
 protected:
  StoppedOutput() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
    EXPECT_EQ(workspace_.run(toy_train("run", 1)).exit_code, kExitOk);
    // This pipe never gets any input, so the command waits with its output open.
    EXPECT_EQ(::mkfifo(workspace_.path("waiting").c_str(), 0600), 0);
  }

  std::vector<std::string> temporaries() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(workspace_.path(""))) {
      if (entry.path().filename().string().find(".tmp.") != std::string::npos)
        found.push_back(entry.path().filename().string());
    }
    return found;
  }

  RunningCommand start_waiting() {
    RunningCommand command =
        workspace_.start(words("generate --path run --input waiting --output out.txt"));
    EXPECT_TRUE(wait_until([&] { return !temporaries().empty(); }));
    return command;
  }

  Workspace workspace_;
};

TEST_F(StoppedOutput, IsRemovedByTheSignalsThatStop) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    RunningCommand command = start_waiting();
    command.send(number);
    EXPECT_EQ(command.wait().exit_code, 256 + number);
    EXPECT_THAT(temporaries(), IsEmpty()) << number;
  }
}

TEST_F(StoppedOutput, OfAKillIsRemovedByTheNextRunButNotThatOfARunningOne) {
  RunningCommand killed = start_waiting();
  killed.send(SIGKILL);
  EXPECT_EQ(killed.wait().exit_code, 256 + SIGKILL);
  const auto of_killed = temporaries();
  EXPECT_THAT(of_killed, SizeIs(1));
  RunningCommand running = start_waiting();
  std::vector<std::string> of_running;
  EXPECT_TRUE(wait_until([&] {
    of_running = temporaries();
    return of_running.size() == 1 && of_running != of_killed;  // the file of the killed run is gone
  }));
  EXPECT_EQ(workspace_.run(words("generate --path run --input test.en --output out.txt")).exit_code,
            kExitOk);
  EXPECT_EQ(temporaries(), of_running);
  running.send(SIGTERM);
  running.wait();
  EXPECT_THAT(temporaries(), IsEmpty());
}

TEST_F(StoppedOutput, SignalsThatTheCallerIgnoresDoNotStopIt) {
  ::signal(SIGHUP, SIG_IGN);  // as nohup does; the command inherits it
  RunningCommand command =
      workspace_.start(toy_train("long", 60) + words("--no-epoch-checkpoints"));
  RunningCommand waiting = start_waiting();
  ::signal(SIGHUP, SIG_DFL);
  EXPECT_TRUE(wait_until([&] {
    return workspace_.exists("long/metrics.jsonl") &&
           !workspace_.read("long/metrics.jsonl").empty();
  }));
  command.send(SIGHUP);
  EXPECT_EQ(command.wait().exit_code, kExitOk);
  waiting.send(SIGHUP);
  EXPECT_TRUE(waiting.is_running());
  waiting.send(SIGTERM);
  EXPECT_EQ(waiting.wait().exit_code, 256 + SIGTERM);
}

}  // namespace
}  // namespace phraseq::end_to_end
