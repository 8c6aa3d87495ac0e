// Commands whose standard streams are closed or full: files do not change, and the exit code is the
// documented one.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string joined(const Arguments& arguments) {
  std::string line;
  for (const auto& argument : arguments) line += " '" + argument + "'";
  return line;
}

class Streams : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    trained_ = new Workspace;
    write_toy_corpus(*trained_);
    ASSERT_EQ(trained_->run(toy_preprocess()).exit_code, kExitOk);
    ASSERT_EQ(trained_->run(toy_train("run", 2)).exit_code, kExitOk);
  }
  static void TearDownTestSuite() {
    delete trained_;
    trained_ = nullptr;
  }

  /// Runs `phraseq ARGUMENTS REDIRECTIONS` in the shell; returns the exit code, or 128 + n for
  /// signal n.
  static int shell(const Arguments& arguments, const std::string& redirections) {
    return shell_line("exec " PHRASEQ_BUILD_FOLDER "/bin/phraseq" + joined(arguments) + " " +
                      redirections);
  }
  static int shell_line(const std::string& line) {
    const int status = std::system(("cd " + trained_->path("") + " && " + line).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  static Workspace* trained_;
};

Workspace* Streams::trained_ = nullptr;

TEST_F(Streams, ClosedDoNotPutTheLogIntoFiles) {
  for (const char* closed : {"2>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"}) {
    const std::string folder = std::string("closed") + std::to_string(std::string(closed).size());
    EXPECT_EQ(shell(toy_train(folder, 3), closed), kExitOk) << closed;
    const auto lines = lines_of(trained_->read(folder + "/metrics.jsonl"));
    EXPECT_FALSE(lines.empty());
    for (const std::string& line : lines) EXPECT_EQ(line.front(), '{') << line;
    EXPECT_THAT(trained_->read(folder + "/.lock"), Not(HasSubstr("info")));
  }
}

TEST_F(Streams, AFolderThatWasDeletedIsAnError) {
  const std::string in_it = "mkdir gone && cd gone && rmdir ../gone && exec ";
  const std::string program = PHRASEQ_BUILD_FOLDER "/bin/phraseq";
  EXPECT_EQ(shell_line(in_it + program + " generate --path run 2> ../gone.txt < /dev/null"),
            kExitIo);
  EXPECT_THAT(trained_->read("gone.txt"),
              HasSubstr("the current folder: cannot use: No such file"));
  EXPECT_EQ(shell_line(in_it + program + " --help > /dev/null"), kExitOk);
}

TEST_F(Streams, ClosedStandardErrorLeavesTheTranslationsAsTheyAre) {
  const Arguments generate = words("generate --path run --input test.en");
  ASSERT_EQ(shell(generate, "> open.txt 2> /dev/null"), kExitOk);
  ASSERT_EQ(shell(generate, "> closed.txt 2>&-"), kExitOk);
  EXPECT_EQ(trained_->read("closed.txt"), trained_->read("open.txt"));
  ASSERT_EQ(shell(generate + words("--output file.txt"), "0<&- 1>&- 2>&-"), kExitOk);
  EXPECT_EQ(trained_->read("file.txt"), trained_->read("open.txt"));
}

TEST_F(Streams, ErrorsHaveTheirExitCodeWithoutStandardError) {
  for (const char* nowhere : {"2>&-", "2> /dev/full"}) {
    EXPECT_EQ(shell(words("generate --path none"), nowhere), kExitIo) << nowhere;
    EXPECT_EQ(shell(words("generate --path run --beam x"), nowhere), kExitUsage) << nowhere;
    EXPECT_EQ(shell(words("score none.txt -i none.txt"), nowhere), kExitIo) << nowhere;
    EXPECT_EQ(shell(words("inspect test.en"), nowhere), kExitFormat) << nowhere;
    EXPECT_EQ(shell(words("nonsense"), nowhere), kExitUsage) << nowhere;
  }
}

TEST_F(Streams, FullStandardErrorDoesNotEndTheWork) {
  EXPECT_EQ(shell(toy_train("full-error", 3), "2> /dev/full"), kExitOk);
  EXPECT_TRUE(trained_->exists("full-error/checkpoint_last"));
}

TEST_F(Streams, FullStandardOutputIsAnError) {
  for (const char* command : {"generate --path run --input test.en",
                              "inspect run",
                              "--help",
                              "train --help",
                              "score dev.en -i dev.en",
                              "plugins list",
                              "--version"}) {
    EXPECT_EQ(shell(words(command), "> /dev/full 2> /dev/null"), kExitIo) << command;
    EXPECT_EQ(shell(words(command), "> /dev/full 2>&-"), kExitIo) << command;
  }
}

TEST_F(Streams, ClosedStandardOutputIsAnErrorWithItsReason) {
  for (const char* command : {"generate --path run --input test.en", "inspect run"}) {
    EXPECT_EQ(shell(words(command), ">&- 2> errors.txt"), kExitIo) << command;
    EXPECT_THAT(trained_->read("errors.txt"),
                HasSubstr("standard output: cannot write: Bad file descriptor"));
  }
}

TEST_F(Streams, AReaderThatHasLeftIsNotAnError) {
  for (const char* command : {"plugins list",
                              "plugins explain transformer",
                              "inspect run --tensors",
                              "train --help",
                              "generate --path run --input test.en",
                              "completion bash"}) {
    const std::string late = std::string("{ sleep 0.1; " PHRASEQ_BUILD_FOLDER "/bin/phraseq ") +
                             command + "; } 2> errors.txt | true; exit ${PIPESTATUS[0]}";
    EXPECT_EQ(shell_line("exec bash -c '" + late + "'"), kExitOk) << command;
    EXPECT_THAT(trained_->read("errors.txt"), Not(HasSubstr("error"))) << command;
  }
}

TEST_F(Streams, CommandsThatStartProgramsWaitForThemWhereTheCallerDoesNot) {
  const auto earlier = std::signal(SIGCHLD, SIG_IGN);  // the command inherits it
  const CommandResult result = trained_->start(words("completion bash")).wait();
  std::signal(SIGCHLD, earlier);
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
}

/// Node, and terminals that several programs share, provide such input.
TEST_F(Streams, NonblockingInputIsWaitedFor) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);  // otherwise the command would wait for itself
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_EQ(::write(ends[1], "one two\n", 8), 8);
    ::close(ends[1]);
  });
  const std::string redirections = "<&" + std::to_string(ends[0]) + " > late.txt";
  EXPECT_EQ(shell(words("generate --path run"), redirections), kExitOk);
  writer.join();
  ::close(ends[0]);
  EXPECT_EQ(lines_of(trained_->read("late.txt")).size(), 1U);
}

TEST_F(Streams, AFileAsStandardOutputKeepsWhatOthersWriteToIt) {
  const std::string program = PHRASEQ_BUILD_FOLDER "/bin/phraseq";
  EXPECT_EQ(shell_line("{ echo before; " + program +
                       " generate --path run --input test.en --output /dev/stdout; echo after; } "
                       "> shared.txt"),
            kExitOk);
  const auto lines = lines_of(trained_->read("shared.txt"));
  EXPECT_EQ(lines.size(), lines_of(trained_->read("test.en")).size() + 2);
  EXPECT_EQ(lines.front(), "before");
  EXPECT_EQ(lines.back(), "after");
}

TEST_F(Streams, ResultsForAClosedStandardOutputAreAnError) {
  EXPECT_EQ(shell(words("generate --path run --input test.en"), "1>&- 2> /dev/null"), kExitIo);
}

}  // namespace
}  // namespace phraseq::end_to_end
