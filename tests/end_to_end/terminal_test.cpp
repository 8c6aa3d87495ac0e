// What users at a terminal see: which command waits for input, progress, and what to do after
// training.

#include "tests/end_to_end/terminal/terminal.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
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
using ::testing::Not;

class AtATerminal : public ::testing::Test {
 protected:
  void SetUp() override {
    write_toy_corpus(workspace_);
    const CommandResult prepared = workspace_.run(toy_preprocess());
    ASSERT_EQ(prepared.exit_code, kExitOk) << prepared.errors;
  }
  CommandResult train(const std::string& save_dir, const std::string& more = "") {
    const CommandResult result = workspace_.run(toy_train(save_dir, 3) + words(more));
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result;
  }

  /// The line of the log that begins with "phraseq generate".
  static std::string proposed_command(const std::string& log) {
    std::smatch match;
    const bool is_there = std::regex_search(log, match, std::regex("\n +(phraseq generate .*)\n"));
    return is_there ? match[1].str() : "none in:\n" + log;
  }

  /// Runs a command line in a shell with the programs of this build on the PATH.
  int shell(const std::string& command) const {
    const std::string all =
        "cd " + workspace_.path("") + " && PATH=" PHRASEQ_BUILD_FOLDER "/bin:$PATH && " + command;
    return WEXITSTATUS(std::system(all.c_str()));
  }

  Workspace workspace_;
};

TEST_F(AtATerminal, CommandsSayWhatTheyWaitFor) {
  train("run");
  for (const char* command : {"generate", "interactive"}) {
    const auto result =
        run_at_terminal(workspace_,
                        Arguments{command} + words("--path run/checkpoint_last --beam 1"),
                        "one two\n\x04");
    EXPECT_EQ(result.exit_code, kExitOk) << result.terminal;
    EXPECT_THAT(result.terminal,
                HasSubstr("Reading source sentences, one per line, from the terminal; Ctrl-D"));
    EXPECT_EQ(lines_of(result.output).size(), 1u);
  }
  workspace_.write("ref", "one two three four\n");
  const auto scored =
      run_at_terminal(workspace_, words("score ref -f text"), "one two three four\n\x04");
  EXPECT_EQ(scored.exit_code, kExitOk) << scored.terminal;
  EXPECT_THAT(scored.terminal,
              HasSubstr("Reading the output of the system, one sentence per line,"));
  EXPECT_THAT(scored.output, HasSubstr("100.0"));
}

TEST_F(AtATerminal, CommandsAreQuietWhenInputComesFromAFile) {
  workspace_.write("ref", "one two three four\n");
  const auto scored = workspace_.run(words("score ref -f text"), "one two three four\n");
  EXPECT_EQ(scored.errors, "");
  const auto with_file = run_at_terminal(workspace_, words("score ref -f text -i ref"), "");
  EXPECT_THAT(with_file.terminal, Not(HasSubstr("Reading")));
}

TEST_F(AtATerminal, TheProgressBarShowsEpochRemainingTimeAndBestResult) {
  // There are enough epochs for several bars, of which at most five per second are drawn.
  const auto result = run_at_terminal(
      workspace_,
      toy_train("run", 0) + words("--max-epoch 60 --no-epoch-checkpoints --log-interval 100000"),
      "");
  EXPECT_EQ(result.exit_code, kExitOk) << result.terminal;
  EXPECT_TRUE(std::regex_search(
      result.terminal,
      std::regex("\repoch \\d+ of 60 \\[#*\\.*\\] \\d+/\\d+ \\| (\\d+:)?\\d+:\\d\\d left \\| loss "
                 "\\d+\\.\\d+ \\| best loss \\d+\\.\\d+ \\| updates \\d+")))
      << result.terminal;
}

TEST_F(AtATerminal, TheProgressBarHasFairseqsNameToo) {
  const auto result =
      run_at_terminal(workspace_,
                      toy_train("run", 0) + words("--log-format tqdm --max-epoch 60 "
                                                  "--no-epoch-checkpoints --log-interval 100000"),
                      "");
  EXPECT_EQ(result.exit_code, kExitOk) << result.terminal;
  EXPECT_THAT(result.terminal, AllOf(HasSubstr("\repoch "), HasSubstr(" left | loss ")));
}

TEST_F(AtATerminal, OtherLogFormatsDrawNoBar) {
  for (const char* format : {"simple", "json", "none"}) {
    const auto result =
        run_at_terminal(workspace_, toy_train(format, 3) + Arguments{"--log-format", format}, "");
    EXPECT_EQ(result.exit_code, kExitOk) << result.terminal;
    EXPECT_THAT(result.terminal, AllOf(Not(HasSubstr("\r")), Not(HasSubstr(" left"))));
  }
}

TEST_F(AtATerminal, TrainingEndsWithTheBestCheckpointAndACommandThatRuns) {
  const std::string log = train("run").errors;
  EXPECT_TRUE(std::regex_search(
      log, std::regex("best checkpoint: run/checkpoint_best \\(loss \\d+\\.\\d{3}\\); translate")))
      << log;
  const std::string command = proposed_command(log);
  EXPECT_EQ(command, "phraseq generate data-bin --path run/checkpoint_best");
  EXPECT_EQ(shell(command + " --beam 1 > out 2> err"), kExitOk) << workspace_.read("err");
  const auto lines = lines_of(workspace_.read("out"));
  EXPECT_EQ(std::count_if(lines.begin(),
                          lines.end(),
                          [](const std::string& line) { return line.starts_with("H-"); }),
            30);
}

TEST_F(AtATerminal, TheProposedCommandQuotesPaths) {
  namespace fs = std::filesystem;
  fs::rename(workspace_.path("data-bin"), workspace_.path("it's data"));
  Arguments arguments = toy_train("a $run", 3);
  arguments[1] = "it's data";
  const CommandResult trained = workspace_.run(arguments);
  ASSERT_EQ(trained.exit_code, kExitOk) << trained.errors;
  const std::string command = proposed_command(trained.errors);
  EXPECT_EQ(command, "phraseq generate 'it'\\''s data' --path 'a $run/checkpoint_best'");
  EXPECT_EQ(shell(command + " --beam 1 > out 2> err"), kExitOk) << workspace_.read("err");
}

TEST_F(AtATerminal, TheProposedCommandTranslatesWhatThereIs) {
  const CommandResult prepared = workspace_.run(
      words("preprocess --source-lang en --target-lang de --trainpref train --validpref dev "
            "--destdir no-test"));
  ASSERT_EQ(prepared.exit_code, kExitOk) << prepared.errors;
  const auto trained_on = [&](const std::string& save_dir, const std::string& more) {
    Arguments arguments = toy_train(save_dir, 3);
    arguments[1] = "no-test";
    return proposed_command(workspace_.run(arguments + words(more)).errors);
  };
  EXPECT_EQ(trained_on("a", ""),
            "phraseq generate no-test --gen-subset valid --path a/checkpoint_best");
  EXPECT_EQ(trained_on("b", "--disable-validation"),
            "phraseq generate no-test --gen-subset valid --path b/checkpoint_last");
  EXPECT_THAT(trained_on("c", "--no-save"), ::testing::StartsWith("none in:"));
}

}  // namespace
}  // namespace phraseq::end_to_end
