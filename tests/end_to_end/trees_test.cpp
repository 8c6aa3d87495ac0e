// Parse trees through the commands: preprocess, train, then translate and score text with a
// checkpoint alone.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A tree for every line but the first: its first word, and the others below one bracket.
std::string toy_trees(const std::string& text) {
  std::string trees;
  for (const std::string& line : lines_of(text)) {
    const size_t first_end = line.find(' ');
    if (trees.empty()) {
      trees = "\n";
    } else if (first_end == std::string::npos) {
      trees += "(X " + line + ")\n";
    } else {
      trees += "(S (X " + line.substr(0, first_end) + ") (Y" + line.substr(first_end) + "))\n";
    }
  }
  return trees;
}

class TreesOnTheCommandLine : public ::testing::Test {
 protected:
  TreesOnTheCommandLine() {
    write_toy_corpus(workspace_);
    for (const char* text : {"train.en", "dev.en", "test.en"})
      workspace_.write(std::string(text) + ".trees", toy_trees(workspace_.read(text)));
  }

  CommandResult run(const Arguments& arguments, std::string_view input = {}) {
    return workspace_.run(arguments, input);
  }

  Workspace workspace_;
};

TEST_F(TreesOnTheCommandLine, GoFromTextToTranslationWithACheckpointAlone) {
  const CommandResult preprocess =
      run(toy_preprocess() + words("--subwords 60 --joined-dictionary --trees"));
  ASSERT_EQ(preprocess.exit_code, kExitOk) << preprocess.errors;
  EXPECT_THAT(preprocess.errors, HasSubstr("train.en.trees: 199 trees; 1 × not parsed, line 1"));
  const CommandResult train = run(toy_train("checkpoints", 2) + words("--threads 1"));
  ASSERT_EQ(train.exit_code, kExitOk) << train.errors;

  const Arguments generate = words("generate --path checkpoints/checkpoint_last");
  const std::string text = workspace_.read("test.en");
  const CommandResult without = run(generate, text);
  const CommandResult with = run(generate + words("--trees test.en.trees"), text);
  EXPECT_EQ(with.exit_code, kExitOk) << with.errors;
  EXPECT_EQ(with.output, without.output);  // the Transformer has no use for them

  workspace_.write("short.trees", "\n\n");
  const CommandResult too_short = run(generate + words("--trees short.trees"), text);
  EXPECT_EQ(too_short.exit_code, kExitData);
  EXPECT_THAT(too_short.errors, AllOf(HasSubstr("short.trees:2: ends here, while standard input")));

  const Arguments rescore =
      words("rescore --path checkpoints/checkpoint_last --source test.en --target test.de --trees");
  EXPECT_EQ(run(rescore + words("test.en.trees")).exit_code, kExitOk);
  const CommandResult of_other_text = run(rescore + words("dev.en.trees"));
  EXPECT_EQ(of_other_text.exit_code, kExitData);
  EXPECT_THAT(of_other_text.errors, AllOf(HasSubstr("dev.en.trees:"), HasSubstr("leaf ")));
}

TEST_F(TreesOnTheCommandLine, StopAtAWrongLeafAndLeaveNothing) {
  workspace_.write("train.en.trees", workspace_.read("dev.en.trees"));
  const CommandResult counts = run(toy_preprocess() + words("--trees"));
  EXPECT_EQ(counts.exit_code, kExitData);
  EXPECT_THAT(counts.errors,
              AllOf(HasSubstr("train.en has 200 lines"), HasSubstr("train.en.trees has 20")));
  std::string trees = toy_trees(workspace_.read("train.en"));
  workspace_.write("train.en.trees", trees.replace(trees.find("(S"), 2, "(S)"));
  const CommandResult no_tree = run(toy_preprocess() + words("--trees"));
  EXPECT_EQ(no_tree.exit_code, kExitFormat);
  EXPECT_THAT(no_tree.errors, HasSubstr("holds no word"));
  EXPECT_FALSE(workspace_.exists("data-bin"));
}

TEST_F(TreesOnTheCommandLine, AreNotGivenBesideAFolderThatBringsItsOwn) {
  const CommandResult result = run(words("generate data-bin --path x --trees test.en.trees"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("--trees is for lines of text; DATA brings its own"));
}

}  // namespace
}  // namespace phraseq::end_to_end
