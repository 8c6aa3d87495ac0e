#include "core/run/training/foreign_files.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kManifest = R"({"build": {"phraseq": "0.1.0"}, "command": "train"})";
constexpr const char* kNoEvent = "{\"accuracy\": 1}\n";

/// The error for a folder with this file; empty if it is accepted.
std::string problem_with(const TemporaryFolder& folder, bool draws_curves = true) {
  try {
    reject_foreign_files(folder.path(), draws_curves);
    return {};
  } catch (const UsageError& error) {
    return error.what();
  }
}

std::string problem_with(const std::string& file, const std::string& text) {
  const TemporaryFolder folder;
  folder.write(file, text);
  return problem_with(folder);
}

TEST(ForeignFiles, AreRejectedByName) {
  EXPECT_THAT(problem_with("run.json", R"({"command": "train", "steps": 7})"),
              AllOf(HasSubstr("/run.json: not a file of phraseq train"),
                    HasSubstr("another --save-dir, or move this file")));
  EXPECT_THAT(problem_with("run.json", "[1, 2]"), HasSubstr("/run.json: "));
  EXPECT_THAT(problem_with("run.json", "no JSON"), HasSubstr("/run.json: "));
  EXPECT_THAT(problem_with("metrics.jsonl", kNoEvent), HasSubstr("/metrics.jsonl: "));
  EXPECT_THAT(problem_with("learning_curves.svg", "<svg><title>Losses</title></svg>"),
              HasSubstr("/learning_curves.svg: "));
}

TEST(ForeignFiles, AreNotThoseOfAnEarlierTraining) {
  EXPECT_EQ(problem_with("run.json", kManifest), "");
  EXPECT_EQ(problem_with("run.json", ""), "");
  EXPECT_EQ(problem_with("metrics.jsonl", "{\"event\":\"start\",\"updates\":0}\n{\"ev"), "");
  EXPECT_EQ(problem_with("learning_curves.svg", "<svg><title>Learning curves: run</title></svg>"),
            "");
  EXPECT_EQ(problem_with("notes.txt", "anything"), "");
}

TEST(ForeignFiles, AreNotLookedForInTheFolderOfAnEarlierTraining) {
  const TemporaryFolder folder;
  folder.write("run.json", kManifest);
  folder.write("metrics.jsonl", "{\"ev");
  folder.write("learning_curves.svg", "<svg/>");
  EXPECT_EQ(problem_with(folder), "");
}

TEST(ForeignFiles, MayBePicturesIfNoneIsDrawn) {
  const TemporaryFolder folder;
  folder.write("learning_curves.svg", "<svg/>");
  EXPECT_EQ(problem_with(folder, /*draws_curves=*/false), "");
}

TEST(ForeignFiles, AreNotInAFolderThatIsMissing) {
  EXPECT_NO_THROW(reject_foreign_files("/no/such/folder", /*draws_curves=*/true));
}

}  // namespace
}  // namespace phraseq
