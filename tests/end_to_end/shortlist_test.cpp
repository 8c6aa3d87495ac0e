// Lexical shortlists, from the training text to translations.

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;

class WithAShortlist : public ::testing::Test {
 protected:
  WithAShortlist() {
    write_toy_corpus(workspace_);
    expect_success(toy_preprocess());
    expect_success(toy_train("run", 150) + words("--threads 1"));
  }

  CommandResult expect_success(const Arguments& arguments, const std::string& input = "") {
    CommandResult result = workspace_.run(arguments, input);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result;
  }

  std::string translated(const std::string& options) {
    return expect_success(words("generate --path run --threads 1 " + options),
                          workspace_.read("test.en"))
        .output;
  }

  Workspace workspace_;
};

TEST_F(WithAShortlist, OfTheTrainingTextTranslatesAsWithTheWholeVocabulary) {
  const CommandResult built =
      expect_success(words("shortlist build --source train.en --target train.de --output lex.s2t"));
  EXPECT_THAT(built.output, HasSubstr("lex.s2t: "));
  EXPECT_THAT(built.output, HasSubstr(" sentence pairs\n"));
  const std::string expected = translated("");
  EXPECT_EQ(translated("--shortlist lex.s2t --shortlist-best 3 --shortlist-frequent 4"), expected);
  EXPECT_NE(translated("--shortlist lex.s2t --shortlist-best 1 --shortlist-frequent 0 --format "
                       "fairseq"),
            translated("--format fairseq"))
      << "the probabilities are normalized over fewer words";
}

TEST(ShortlistCommand, WritesToStandardOutput) {
  Workspace workspace;
  workspace.write("text.en", "one two\none\n");
  workspace.write("text.de", "eins zwei\neins\n");
  const std::string build = "shortlist build --source text.en --target text.de --output ";
  const CommandResult printed = workspace.run(words(build + "-"));
  EXPECT_EQ(printed.exit_code, kExitOk) << printed.errors;
  EXPECT_THAT(printed.errors, HasSubstr("standard output: "));
  EXPECT_FALSE(workspace.exists("-"));
  EXPECT_EQ(workspace.run(words(build + "lex")).exit_code, kExitOk);
  EXPECT_EQ(printed.output, workspace.read("lex"));
}

TEST(ShortlistCommand, CountsTheSourceWordsThatHaveTranslations) {
  Workspace workspace;
  workspace.write("text.en", "one well two\none\n");
  workspace.write("text.de", "eins zwei\nein\n");
  workspace.write("links", "0-0 2-1\n0-0\n");
  const CommandResult result = workspace.run(
      words("shortlist build --source text.en --target text.de --alignment links --output lex"));
  EXPECT_EQ(result.output, "lex: 3 word pairs of 2 source words from 2 sentence pairs\n");
}

TEST(ShortlistCommand, RejectsACompressedOutput) {
  Workspace workspace;
  const CommandResult result = workspace.run(
      words("shortlist build --source train.en --target train.de --output lex.s2t.gz"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("lex.s2t.gz: shortlists are written plain, without .gz"));
}

TEST_F(WithAShortlist, DoesNotDependOnTheBatch) {
  expect_success(words("shortlist build --source train.en --target train.de --output lex.s2t"));
  const std::string options = "--shortlist lex.s2t --shortlist-best 2 --shortlist-frequent 0 ";
  EXPECT_EQ(translated(options + "--batch-size 1"), translated(options + "--batch-size 50"));
}

/// Scores are computed and searched in every way.
TEST_F(WithAShortlist, GeneratesOnlyWordsOfTheShortlist) {
  workspace_.write("one.s2t", "zwei one 1\n");
  for (const char* way : {"",
                          "--decoder greedy",
                          "--sampling",
                          "--temperature 2",
                          "--quantization int8",
                          "--precision bf16"}) {
    std::istringstream found(
        translated(std::string("--shortlist one.s2t --shortlist-frequent 0 ") + way));
    for (std::string word; found >> word;)
      EXPECT_TRUE(word == "zwei" || word == "<unk>") << way << ": " << word;
  }
  const CommandResult ensemble = expect_success(
      words("generate --path run:run --shortlist one.s2t --shortlist-frequent 0"), "one two\n");
  EXPECT_THAT(ensemble.output, ::testing::Not(HasSubstr("eins")));
}

TEST_F(WithAShortlist, OfAnotherVocabularyIsRejected) {
  workspace_.write("other.s2t", "chat cat 1\n");
  const CommandResult result =
      workspace_.run(words("generate --path run --shortlist other.s2t"), "one\n");
  EXPECT_EQ(result.exit_code, kExitData);
  EXPECT_THAT(result.errors, HasSubstr("other.s2t: none of 1 pairs"));
}

}  // namespace
}  // namespace phraseq::end_to_end
