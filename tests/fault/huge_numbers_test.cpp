// Numbers that are too large for any machine: every integer option of every command has bounds.

#include <cstdlib>
#include <regex>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;

/// Commands with each component that adds options, as they are called.
const std::vector<std::string> kCommands = {
    "preprocess -s a -t b --trainpref t --destdir d",
    "train d --max-tokens 9 --arch transformer --optimizer adam --lr-scheduler inverse_sqrt",
    "train d --max-tokens 9 --arch phrase_transformer --optimizer sgd --lr-scheduler cosine",
    "train d --max-tokens 9 --arch rnnsearch --optimizer adadelta --lr-scheduler polynomial_decay",
    "train d --max-tokens 9 --arch phrasenet --task translation_with_phrase_memory",
    "train d --max-tokens 9 --arch phrase_rep --lr-scheduler noam --eval-bleu",
    "train d --max-tokens 9 --arch phrasal_attention",
    "validate d --path p",
    "generate --path p",
    "generate --path p --decoder sampling",
    "generate --path p --decoder greedy",
    "interactive --path p",
    "rescore --path p --source s --target t",
    "analyze --path p",
    "average p --output o",
    "score r -m bleu chrf ter",
    "compare a b --ref r",
    "phrase-table build s t --output o",
};

/// Names of the options that take integers, by the generated page.
std::set<std::string> integer_options(const std::string& page) {
  std::set<std::string> names;
  const std::regex row(R"(\n\| (?:`-\w+` )*`--([\w-]+)`[^|]*\| N(?:,[^|]*)? \|)");
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end; ++it)
    names.insert((*it)[1]);
  return names;
}

class HugeNumbers : public ::testing::TestWithParam<std::string> {
 protected:
  /// Runs the command with all its integer options set to `value`.
  CommandResult run_with(const std::string& value) {
    const Arguments command = words(GetParam());
    Arguments arguments = command;
    for (const std::string& name : names()) arguments.push_back("--" + name + "=" + value);
    return workspace_.run(arguments);
  }
  std::set<std::string> names() {
    return integer_options(workspace_.run(words(GetParam()) + Arguments{"--help-markdown"}).output);
  }

  Workspace workspace_;
};

TEST_P(HugeNumbers, AreOutOfTheRangeOfEveryIntegerOption) {
  const auto integers = names();
  EXPECT_FALSE(integers.empty());
  for (const char* value : {"9223372036854775807", "-9223372036854775808", "1000000000000000"}) {
    const CommandResult result = run_with(value);
    EXPECT_EQ(result.exit_code, kExitUsage) << result.errors;
    for (const std::string& name : integers) {
      if (name.ends_with("seed") || name.ends_with("grams"))
        continue;  // takes any integer, or is a list, read as a text
      EXPECT_THAT(result.errors, HasSubstr("--" + name + ": " + value + " is out of range"));
    }
  }
}

TEST_P(HugeNumbers, ZeroAndLessAreValuesOrErrorsOfUse) {
  for (const char* value : {"0", "-1"}) {
    const int code = run_with(value).exit_code;
    EXPECT_NE(code, kExitBug) << value;
    EXPECT_LT(code, 128) << value;
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, HugeNumbers, ::testing::ValuesIn(kCommands));

class HugeModel : public ::testing::Test {
 protected:
  HugeModel() {
    write_toy_corpus(workspace_, 20);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }
  Workspace workspace_;
};

TEST_F(HugeModel, IsRefusedBeforeItFillsTheMemory) {
  // The sizes are within their ranges, but their product, 256 GiB, exceeds the free memory.
  const CommandResult result = workspace_.run(
      words("train data-bin --arch transformer --max-tokens 100 --max-update 1 --no-save "
            "--pos learned --max-source-positions 16777216 --encoder-embed-dim 4096 "
            "--encoder-layers 1 --encoder-ffn-embed-dim 8 --decoder-embed-dim 4096 "
            "--decoder-layers 1 --decoder-ffn-embed-dim 8"));
  EXPECT_EQ(result.exit_code, kExitIo) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("out of memory: a tensor of"));
  EXPECT_THAT(result.errors, HasSubstr("a smaller model"));
}

TEST_F(HugeModel, HasALearningRateThatNoScheduleOverflows) {
  EXPECT_EQ(workspace_.run(toy_train("run", 3) + words("--lr 1e308")).exit_code, kExitUsage);
  EXPECT_EQ(workspace_.run(toy_train("run", 9) + words("--lr 1e100 --max-bad-updates 2")).exit_code,
            kExitDivergence);
}

TEST_F(HugeModel, IsRefusedAfterItsFirstLayer) {
  const CommandResult result =
      workspace_.run(toy_train("run", 2) + words("--encoder-layers 65536 --encoder-embed-dim 4096 "
                                                 "--encoder-ffn-embed-dim 16384"));
  EXPECT_EQ(result.exit_code, kExitIo) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("out of memory: 65536 layers of 768 MiB take 4"));
}

TEST_F(HugeModel, IsRefusedBeforeItsValuesAreDrawn) {
  const std::string command =
      "train data-bin --arch transformer --max-tokens 100 --max-update 1 --no-save "
      "--threads 1 --encoder-embed-dim 1024 --encoder-ffn-embed-dim 4096 "
      "--encoder-layers 40 --decoder-embed-dim 1024 --decoder-ffn-embed-dim 8 "
      "--decoder-layers 1 2> errors.txt";
  const std::string line = "cd " + workspace_.path("") +
                           " && ulimit -d 3000000 && exec " PHRASEQ_BUILD_FOLDER "/bin/phraseq " +
                           command;
  const int status = std::system(line.c_str());
  EXPECT_EQ(WEXITSTATUS(status), kExitIo);
  EXPECT_THAT(workspace_.read("errors.txt"),
              HasSubstr("out of memory: the parameters of the model take 1.9 GiB"));
}

}  // namespace
}  // namespace phraseq::end_to_end
