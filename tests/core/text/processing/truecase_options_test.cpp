#include "core/text/processing/truecase_options.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string result_of(const TruecaseOptions& options) {
  EXPECT_THAT(options.problems(), IsEmpty());
  std::string result;
  truecase(options, [&](const std::string& text) { result += text; });
  return result;
}

TEST(TruecaseOptions, TokenizeTheTextThatIsTruecased) {
  const TemporaryFolder folder;
  TruecaseOptions options;
  options.inputs = {folder.write("text", "The NATO-led men, here.\n")};
  options.model = folder.write("model", "the (9/9)\nmen (3/3)\n");
  EXPECT_EQ(result_of(options), "the NATO-led men, here.\n");
  options.moses = "en";
  EXPECT_EQ(result_of(options), "the NATO @-@ led men , here .\n");
}

TEST(TruecaseOptions, DoNotTokenizeTextToCapitalize) {
  TruecaseOptions options;
  options.action = TruecaseAction::kUndo;
  options.moses = "en";
  EXPECT_THAT(options.problems(), Contains(HasSubstr("undo reads tokenized text")));
}

TEST(TruecaseOptions, KeepKnownWordsOnlyWithAModel) {
  TruecaseOptions options;
  options.keep_known = true;
  for (const auto action : {TruecaseAction::kLearn, TruecaseAction::kUndo}) {
    options.action = action;
    EXPECT_THAT(options.problems(), Contains(HasSubstr("--keep-known is for truecase apply")));
  }
  options.action = TruecaseAction::kApply;
  options.model = "model";
  EXPECT_THAT(options.problems(), IsEmpty());
}

}  // namespace
}  // namespace phraseq
