// Places where nothing can be written: every command reports that before its work, with exit code
// 6.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kTooLong(300, 'x');

class OutputTarget : public ::testing::Test {
 protected:
  OutputTarget() { workspace_.write("file", "text\n"); }

  void expect_refused(const Arguments& arguments) {
    const CommandResult result = workspace_.run(arguments);
    EXPECT_EQ(result.exit_code, kExitIo) << ::testing::PrintToString(arguments) << result.errors;
    EXPECT_THAT(result.errors, Not(HasSubstr("bug")));
  }

  Workspace workspace_;
};

TEST_F(OutputTarget, OfOptionPagesIsChecked) {
  for (const std::string& place : {std::string("file"),
                                   std::string("file/below"),
                                   std::string("/proc/x"),
                                   std::string("/dev/null"),
                                   kTooLong})
    expect_refused({"plugins", "options", "--output", place});
}

TEST_F(OutputTarget, IsCheckedBeforeTheInputsAreRead) {
  // The inputs are not checkpoints, which would be the error with a good --output.
  const std::vector<Arguments> commands = {
      {"average", "file", "file", "--output"},
      {"replace-tensors", "file", "file", "--output"},
      {"import", "fairseq", "file", "file", "file", "--output"},
      {"generate", "--path", "file", "--output"},
      {"rescore", "--path", "file", "--source", "file", "--target", "file", "--output"},
  };
  for (const Arguments& command : commands) {
    for (const std::string& place : {std::string("/proc/x"), std::string("file/below"), kTooLong})
      expect_refused(command + Arguments{place});
    EXPECT_EQ(workspace_.run(command + Arguments{"good"}).exit_code, kExitFormat)
        << command.front();
    EXPECT_FALSE(workspace_.exists("good"));
  }
  for (size_t i = 0; i < 3; ++i) expect_refused(commands[i] + Arguments{"none/below"});
}

/// As in fairseq, the folder is created; a command that fails leaves no empty folder.
TEST_F(OutputTarget, OfTranslationsIsCreated) {
  EXPECT_EQ(workspace_.run(words("generate --path file --output made/below")).exit_code,
            kExitFormat);
  EXPECT_FALSE(workspace_.exists("made"));
}

TEST_F(OutputTarget, MayHaveTheLongestNameOfTheFileSystem) {
  write_toy_corpus(workspace_);
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  ASSERT_EQ(workspace_.run(toy_train("run", 1)).exit_code, kExitOk);
  const std::string longest(255, 'x');
  EXPECT_EQ(workspace_.run({"average", "run/checkpoint_last", "--output", longest}).exit_code,
            kExitOk);
  EXPECT_EQ(workspace_.run({"inspect", longest}).exit_code, kExitOk);
}

TEST_F(OutputTarget, OrInputWithATooLongNameIsNotABug) {
  for (const Arguments& command : std::vector<Arguments>{
           {"inspect", kTooLong},
           {"score", kTooLong, "-i", kTooLong},
           {"train", kTooLong, "--arch", "transformer", "--max-tokens", "100"},
           {"train",
            "file",
            "--arch",
            "transformer",
            "--max-tokens",
            "100",
            "--save-dir",
            kTooLong},
           {"generate", "--path", kTooLong},
           {"generate", "--path", "file", "--plugin-dir", kTooLong},
           {"preprocess", "-s", "a", "-t", "b", "--trainpref", kTooLong, "--destdir", "out"},
           {"preprocess", "-s", "a", "-t", "b", "--trainpref", "file", "--destdir", kTooLong},
           {"compare", kTooLong, kTooLong, "--ref", kTooLong},
           {"new-plugin", "mine", "--kind", "metric", "--output", kTooLong},
           {"plugins", "info", "beam", "--plugin-dir", kTooLong},
           {"phrase-table", "check", kTooLong}}) {
    const CommandResult result = workspace_.run(command);
    EXPECT_GE(result.exit_code, kExitUsage) << ::testing::PrintToString(command) << result.errors;
    EXPECT_LE(result.exit_code, kExitIo) << ::testing::PrintToString(command) << result.errors;
  }
}

TEST_F(OutputTarget, OrAnyArgumentThatIsNotUtf8IsAnErrorOfUse) {
  // Manifests and checkpoints record all of them as JSON; an error at the end would lose the work.
  for (const Arguments& command : std::vector<Arguments>{{"inspect", "a\xFF", "--json"},
                                                         {"average", "file", "--output", "\xE4"},
                                                         {"score", "--m\xFF=1", "file"}}) {
    const CommandResult result = workspace_.run(command);
    EXPECT_EQ(result.exit_code, kExitUsage) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("not valid UTF-8: "));
    EXPECT_THAT(result.errors, HasSubstr("Rename the file, or give the value in UTF-8."));
  }
}

}  // namespace
}  // namespace phraseq::end_to_end
