#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

/// A trained translator of digits, with joint subwords of both languages; after 2,000 updates, it
/// translates all but a few test sentences correctly.
class Chain : public ::testing::Test {
 protected:
  Chain() {
    write_toy_corpus(workspace_, 2000);
    const Arguments preprocess = toy_preprocess() + words("--subwords 60 --joined-dictionary");
    const Arguments train =
        toy_train("checkpoints", 2000) + words("--share-all-embeddings --threads 1");
    for (const Arguments& arguments : {preprocess, train}) {
      const CommandResult result = workspace_.run(arguments);
      EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    }
  }

  CommandResult generate(std::string_view input, const Arguments& more = {}) {
    CommandResult result = workspace_.run(
        Arguments{"generate", "--path", "checkpoints/checkpoint_best"} + more, input);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result;
  }

  Workspace workspace_;
};

TEST_F(Chain, LearnsToTranslateAndScoresIt) {
  const std::string output = generate(workspace_.read("test.en")).output;
  const CommandResult score =
      workspace_.run({"score", "test.de", "--score-only", "--tokenize", "none"}, output);
  ASSERT_EQ(score.exit_code, kExitOk) << score.errors;
  EXPECT_GT(std::stod(score.output), 90.0);
  EXPECT_THAT(workspace_.run({"score", "test.de"}, workspace_.read("test.de")).output,
              HasSubstr("100.0"));
}

TEST_F(Chain, EveryInputLineGivesALineAndAnEmptyOneGivesAnEmptyOne) {
  const std::string output = generate("one two\n\nthree\n \nfour").output;
  const auto lines = lines_of(output);
  ASSERT_THAT(lines, SizeIs(5));
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[3], "");
  EXPECT_EQ(output.back(), '\n');
}

TEST_F(Chain, ACheckpointIsEnoughToTranslate) {
  const std::string with_data = generate(workspace_.read("test.en")).output;
  std::filesystem::remove_all(workspace_.path("data-bin"));
  EXPECT_EQ(generate(workspace_.read("test.en")).output, with_data);
  const Arguments as_fairseq = words("--bpe sentencepiece --sentencepiece-model any.model");
  EXPECT_EQ(generate(workspace_.read("test.en"), as_fairseq).output, with_data);
}

TEST_F(Chain, BeamOneIsGreedy) {
  const std::string input = workspace_.read("test.en");
  EXPECT_EQ(generate(input, {"--beam", "1"}).output,
            generate(input, {"--decoder", "greedy"}).output);
}

TEST_F(Chain, ATranslationDoesNotDependOnItsBatchMates) {
  const std::string input = workspace_.read("test.en");
  EXPECT_EQ(generate(input, {"--batch-size", "1"}).output,
            generate(input, {"--batch-size", "64"}).output);
}

}  // namespace
}  // namespace phraseq::end_to_end
