#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

/// A command of the user on the PATH, which prints how OpenMP's threads wait.
class Front : public ::testing::Test {
 protected:
  Front() {
    namespace fs = std::filesystem;
    workspace_.write("bin/phraseq-show-spin",
                     "#!/bin/sh\necho \"${GOMP_SPINCOUNT-unset}\" \"$@\"\n");
    fs::permissions(workspace_.path("bin/phraseq-show-spin"), fs::perms::owner_all);
    ::setenv("PATH", (workspace_.path("bin") + ":" + path_).c_str(), 1);
    ::unsetenv("GOMP_SPINCOUNT");
    ::unsetenv("OMP_WAIT_POLICY");
  }
  ~Front() override { ::setenv("PATH", path_.c_str(), 1); }

  std::string show(const Arguments& arguments = {}) {
    const CommandResult result = workspace_.run(Arguments{"show-spin"} + arguments);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result.output;
  }

  const std::string path_ = std::getenv("PATH");
  Workspace workspace_;
};

TEST_F(Front, RunsACommandOfThePathWithItsArguments) {
  EXPECT_EQ(show({"--to", "a b"}), "1000 --to a b\n");
}

/// A command without a description is listed with the path of its file.
TEST_F(Front, DescribesItsOwnCommandsAndNamesTheFilesOfOthers) {
  const CommandResult result = workspace_.run(words("--help"));
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.output, ::testing::HasSubstr("  serve "));
  EXPECT_THAT(result.output, ::testing::HasSubstr(workspace_.path("bin/phraseq-show-spin")));
  EXPECT_THAT(result.output, ::testing::Not(::testing::HasSubstr(PHRASEQ_BUILD_FOLDER "/bin/")));
}

TEST_F(Front, LimitsHowLongThreadsSpinUnlessTheUserChose) {
  EXPECT_EQ(show(), "1000\n");
  ::setenv("GOMP_SPINCOUNT", "7", 1);
  EXPECT_EQ(show(), "7\n");
  ::unsetenv("GOMP_SPINCOUNT");
  ::setenv("OMP_WAIT_POLICY", "active", 1);
  EXPECT_EQ(show(), "unset\n");
}

}  // namespace
}  // namespace phraseq::end_to_end
