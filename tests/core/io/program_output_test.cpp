#include "core/io/program_output.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

ProgramOutput shell(const std::string& script, const ProgramSettings& settings = {}) {
  return program_output("/bin/sh", std::vector<std::string>{"-c", script}, settings);
}

TEST(ProgramOutput, KeepsBothStreamsApartAndTheExitCode) {
  const ProgramOutput result = shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
}

TEST(ProgramOutput, SaysThatItCannotWaitWhereEndedProgramsAreForgotten) {
  const auto earlier = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_THROW(shell("exit 0"), IoError);  // immediately, not at the time limit
  std::signal(SIGCHLD, earlier);
}

TEST(ProgramOutput, HoldsMoreThanAPipe) {
  const ProgramOutput result = shell("yes phrase | head -c 1000001");
  EXPECT_EQ(result.output.size(), 1000001u);
}

TEST(ProgramOutput, GivesEmptyStandardInput) { EXPECT_EQ(shell("wc -c").output, "0\n"); }

TEST(ProgramOutput, AddsASignalTo128) {
  EXPECT_EQ(shell("kill -SEGV $$").exit_code, 128 + SIGSEGV);
}

TEST(ProgramOutput, EndsAProgramThatTakesTooLong) {
  ProgramSettings settings;
  settings.limit = std::chrono::seconds(1);
  EXPECT_EQ(shell("exec sleep 1000", settings).exit_code, 124);
}

TEST(ProgramOutput, HidesVariables) {
  ::setenv("PHRASEQ_TEST_VISIBLE", "a", 1);
  ::setenv("PHRASEQ_TEST_HIDDEN", "b", 1);
  const std::array<std::string, 1> without = {"PHRASEQ_TEST_HIDDEN"};
  ProgramSettings settings;
  settings.without = without;
  EXPECT_EQ(shell("echo $PHRASEQ_TEST_VISIBLE:$PHRASEQ_TEST_HIDDEN", settings).output, "a:\n");
  ::unsetenv("PHRASEQ_TEST_VISIBLE");
  ::unsetenv("PHRASEQ_TEST_HIDDEN");
}

TEST(ProgramOutput, NamesAProgramThatIsNotThere) {
  try {
    program_output("/nowhere/phraseq-none", std::vector<std::string>{});
    FAIL() << "nothing was thrown";
  } catch (const IoError& failure) {
    EXPECT_THAT(failure.what(), ::testing::HasSubstr("/nowhere/phraseq-none"));
  }
}

}  // namespace
}  // namespace phraseq
