// Training on a full disk: a limit on the size of files makes every longer write fail.

#include <cstdlib>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;

class FullDisk : public ::testing::Test {
 protected:
  FullDisk() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  /// Runs `train` in a shell that limits files to `blocks` blocks (of 512 or 1,024 bytes).
  int train_within(int blocks, int updates, const std::string& more) {
    std::string train = PHRASEQ_BUILD_FOLDER "/bin/phraseq";
    for (const auto& argument : toy_train("run", updates)) train += " '" + argument + "'";
    // Standard error is a pipe, so that the limit does not apply to what the test reads.
    const std::string line = "cd " + workspace_.path("") + " && { ( ulimit -f " +
                             std::to_string(blocks) + "; exec " + train + " " + more +
                             " ); echo $? > code.txt; } 2>&1 | cat > errors.txt";
    EXPECT_EQ(std::system(line.c_str()), 0);
    return std::stoi(workspace_.read("code.txt"));
  }

  /// The number of records in metrics.jsonl, in which every line must be a record.
  size_t records() const {
    const auto lines = lines_of(workspace_.read("run/metrics.jsonl"));
    for (const std::string& line : lines)
      EXPECT_TRUE(nlohmann::json::parse(line, nullptr, false).is_object()) << line;
    return lines.size();
  }

  Workspace workspace_;
};

TEST_F(FullDisk, DoesNotEndATrainingThatIsToContinue) {
  EXPECT_EQ(train_within(2, 12, "--save-failure warn --log-file log.txt"), kExitOk);
  const std::string errors = workspace_.read("errors.txt");
  EXPECT_THAT(errors, HasSubstr("training continues"));
  EXPECT_THAT(errors, HasSubstr("metrics.jsonl: cannot write: File too large"));
  EXPECT_THAT(errors, HasSubstr("training stops: update 12 of"));
  EXPECT_GT(records(), 0U);
}

TEST_F(FullDisk, EndsATrainingThatIsToStopWithTheExitCodeOfTheDisk) {
  EXPECT_EQ(train_within(2, 12, "--save-failure stop"), kExitIo);
}

TEST_F(FullDisk, LeavesNoIncompleteLineBehindAResume) {
  ASSERT_EQ(workspace_.run(toy_train("run", 2)).exit_code, kExitOk);
  const size_t before = records();
  std::ofstream(workspace_.path("run/metrics.jsonl"), std::ios::app) << "{\"event\": \"tr";
  ASSERT_EQ(workspace_.run(toy_train("run", 4)).exit_code, kExitOk);
  EXPECT_GT(records(), before);
}

}  // namespace
}  // namespace phraseq::end_to_end
