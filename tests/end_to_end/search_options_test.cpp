// Diverse beams, lexical constraints, replaced unknown words and minimum Bayes risk on the command
// line, with a model that has learned almost nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class SearchOptionsOfCommands : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    workspace_ = new Workspace;
    write_toy_corpus(*workspace_, 200);
    for (const Arguments& arguments :
         {toy_preprocess(), toy_train("checkpoints", 20) + words("--threads 1")}) {
      const CommandResult result = workspace_->run(arguments);
      ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
    }
  }
  static void TearDownTestSuite() {
    delete workspace_;
    workspace_ = nullptr;
  }

  static CommandResult generate(const std::string& options, std::string_view input) {
    const bool limited = options.find("--max-len-b") != std::string::npos;
    return workspace_->run(words("generate --path checkpoints --threads 1 " + options +
                                 (limited ? "" : " --max-len-b 12")),
                           input);
  }
  static std::vector<std::string> translate(const std::string& options, std::string_view input) {
    const CommandResult result = generate(options, input);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return lines_of(result.output);
  }
  static std::string rejection(const std::string& options) {
    const CommandResult result = generate(options, "one\n");
    EXPECT_EQ(result.exit_code, kExitUsage) << options;
    return result.errors;
  }

  static Workspace* workspace_;
};

Workspace* SearchOptionsOfCommands::workspace_ = nullptr;

TEST_F(SearchOptionsOfCommands, PutTheConstraintsOfALineIntoItsTranslation) {
  const std::string input = "one two\tacht neun\tnull\nthree\nfour five\tsechs\n";
  const auto ordered = translate("--constraints --batch-size 8", input);
  ASSERT_THAT(ordered, SizeIs(3));
  EXPECT_THAT(ordered[0], ::testing::ContainsRegex("acht neun( .*)? null"));
  EXPECT_THAT(ordered[2], HasSubstr("sechs"));
  EXPECT_EQ(ordered[1], translate("", "three\n")[0]);
  const auto unordered = translate("--constraints unordered", input);
  EXPECT_THAT(unordered[0], AllOf(HasSubstr("acht neun"), HasSubstr("null")));
  for (const std::string more : {"--batch-size 1", "--batch-size 3 --workers 2"})
    EXPECT_EQ(translate("--constraints " + more, input), ordered);
}

TEST_F(SearchOptionsOfCommands, CountTranslationsWithoutTheirConstraints) {
  const CommandResult result = generate("--constraints --max-len-b 1", "one\tacht neun\ntwo\n");
  EXPECT_EQ(lines_of(result.output).size(), 2U);
  EXPECT_THAT(result.errors, HasSubstr("1 of 1 sentences with constraints"));
  EXPECT_THAT(generate("--constraints", "one\tneunzig\n").errors,
              AllOf(HasSubstr("'neunzig' contains symbols outside the vocabulary"),
                    HasSubstr("Translated 1 sentence (")));
}

TEST_F(SearchOptionsOfCommands, ReportConstraintsOfEmptyLinesWithoutImpossibleAdvice) {
  const CommandResult result = generate("--constraints", "\tacht neun\ntwo\n");
  EXPECT_EQ(lines_of(result.output).at(0), "");
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("1 empty line with constraints: the translation of an empty line is "
                              "empty"),
                    Not(HasSubstr("--max-len-b"))));
}

TEST_F(SearchOptionsOfCommands, ForceTheFirstTokensOfTheReferences) {
  const auto of_data = [](const std::string& size) {
    return translate("data-bin --gen-subset test --format plain --prefix-size " + size, "");
  };
  const auto references = lines_of(workspace_->read("test.de"));
  EXPECT_EQ(of_data("100"), references);
  const auto two = of_data("2");
  ASSERT_EQ(two.size(), references.size());
  EXPECT_NE(two, references);
  for (size_t i = 0; i < two.size(); ++i) {
    const size_t space = references[i].find(' ');
    const size_t end = space == std::string::npos ? space : references[i].find(' ', space + 1);
    EXPECT_TRUE(two[i].starts_with(references[i].substr(0, end))) << two[i];
  }
  EXPECT_THAT(rejection("--prefix-size 2"), HasSubstr("there are no references"));
}

TEST_F(SearchOptionsOfCommands, RejectASourceLongerThanTheModelGenerates) {
  const CommandResult result =
      generate("--match-source-len --model-overrides max-target-positions=5",
               "one\none two three four five six seven\n");
  EXPECT_EQ(result.exit_code, kExitData);
  EXPECT_THAT(result.errors,
              HasSubstr("sentence 2 has 7 tokens; --match-source-len needs as many in the "
                        "translation, and the model generates at most 4 before </s>"));
}

TEST_F(SearchOptionsOfCommands, GiveDiverseTranslationsThatBatchesDoNotChange) {
  const std::string input = workspace_->read("test.en");
  for (const std::string search : {"--diverse-beam-groups 2", "--diversity-rate 0.5"}) {
    const std::string options = "--beam 4 --nbest 4 --format jsonl " + search;
    const auto whole = translate(options, input);
    EXPECT_NE(whole, translate("--beam 4 --nbest 4 --format jsonl", input));
    const auto texts = [&](const std::string& more) {
      return translate("--beam 4 " + search + more, input);
    };
    EXPECT_EQ(texts(" --batch-size 1"), texts(" --batch-size 7 --workers 2"));
  }
}

TEST_F(SearchOptionsOfCommands, RejectWhatContradictsItself) {
  EXPECT_THAT(rejection("--beam 5 --diverse-beam-groups 2"), HasSubstr("multiple"));
  EXPECT_THAT(rejection("--constraints --diversity-rate 1"), HasSubstr("cannot be combined"));
  EXPECT_THAT(rejection("--constraints --match-source-len"), HasSubstr("cannot be combined"));
  EXPECT_THAT(rejection("--mbr chrf"), HasSubstr("--nbest N"));
  EXPECT_THAT(rejection("data-bin --constraints"), HasSubstr("lines of text"));
  EXPECT_THAT(rejection("--mbr nonsense --nbest 2"), HasSubstr("nonsense"));
}

TEST_F(SearchOptionsOfCommands, ChooseByMinimumBayesRiskAsTheCommandForFilesDoes) {
  const std::string input = workspace_->read("test.en");
  for (const std::string samples : {"--nbest 5", "--sampling --nbest 6 --seed 3"}) {
    const auto chosen = translate(samples + " --mbr chrf", input);
    EXPECT_THAT(chosen, SizeIs(30));
    workspace_->write("nbest", generate(samples + " --format fairseq", input).output);
    EXPECT_EQ(lines_of(workspace_->run(words("mbr nbest --metric chrf")).output), chosen);
  }
  EXPECT_NE(translate("--nbest 5 --mbr bleu", input), translate("", input));
}

TEST_F(SearchOptionsOfCommands, ReplaceUnknownWords) {
  // Only <unk> is generated, as its log-probability is raised.
  const std::string unknown = "--unkpen -1000 --max-len-b 2 --min-len 2";
  EXPECT_THAT(translate(unknown, "one Zug\n")[0], HasSubstr("<unk>"));
  const std::string copied = translate(unknown + " --replace-unk", "one Zug\n")[0];
  EXPECT_THAT(copied, Not(HasSubstr("<unk>")));
  EXPECT_THAT(copied, ::testing::MatchesRegex("(one|Zug) (one|Zug)"));
  workspace_->write("dictionary", "Zug train\none eins\n");
  EXPECT_THAT(translate(unknown + " --replace-unk dictionary", "one Zug\n")[0],
              ::testing::MatchesRegex("(eins|train) (eins|train)"));
}

}  // namespace
}  // namespace phraseq::end_to_end
