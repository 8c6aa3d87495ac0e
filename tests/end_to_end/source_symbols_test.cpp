// Models that read sources with <s> or without </s>. In all cases, users see only the tokens of the
// sentence itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class SourceSymbols : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    write_toy_corpus(workspace_, 200);
    ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
    const CommandResult trained = workspace_.run(
        toy_train("checkpoints", 40) + words(GetParam() + " --max-source-positions 9 --threads 1"));
    ASSERT_EQ(trained.exit_code, kExitOk) << trained.errors;
  }

  CommandResult run(const std::string& command, std::string_view input) {
    return workspace_.run(words(command + " --path checkpoints --threads 1"), input);
  }

  /// The number of symbols that the model reads in addition to the words of a source.
  static size_t symbols_read() {
    return 1 + (GetParam() == "--source-bos yes" ? 1 : 0) -
           (GetParam() == "--source-eos no" ? 1 : 0);
  }

  /// A line of as many words as the model can read.
  static std::string longest_line() {
    std::string line;
    for (size_t i = symbols_read(); i < 9; ++i) line += "one ";
    return line;
  }

  /// Writes a source that just fits to `whole`, one that does not fit to `longer`, and a target to
  /// `t`.
  void write_longest_sources() {
    workspace_.write("whole", longest_line() + "\n");
    workspace_.write("longer", longest_line() + "two\n");
    workspace_.write("t", "eins\n");
  }

  Workspace workspace_;
};

/// A fifth of the sources have only one word, which is all that the model reads without </s>.
TEST_P(SourceSymbols, TrainingUsesAllPairs) {
  const auto epochs = records(workspace_, "checkpoints", "epoch");
  ASSERT_FALSE(epochs.empty());
  EXPECT_EQ(epochs.front().at("sentences"), 200) << epochs.front();
}

TEST_P(SourceSymbols, AttentionHasAWeightForEachTokenOfTheSentence) {
  const CommandResult result =
      run("generate --format jsonl --print-alignment soft --max-len-b 4", "one two three\n");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  const auto attention = json::parse(result.output).at("hypotheses")[0].at("attention");
  ASSERT_FALSE(attention.empty());
  for (const json& weights : attention) {
    ASSERT_EQ(weights.size(), 4U) << "the weights are those of three words and </s>";
    double sum = 0;
    for (const json& weight : weights) sum += weight.get<double>();
    EXPECT_EQ(GetParam() == "--source-bos yes", sum < 0.999) << sum;
  }
}

TEST_P(SourceSymbols, TheLongestSourceFitsIntoTheModel) {
  const std::string line = longest_line();
  EXPECT_EQ(run("generate", line + "\n").exit_code, kExitOk);
  const CommandResult longer = run("generate", line + "two\n");
  EXPECT_EQ(longer.exit_code, kExitData);
  EXPECT_THAT(longer.errors, HasSubstr("the model accepts at most"));
  EXPECT_EQ(run("generate --truncate-source", line + "two\n").exit_code, kExitOk);
}

TEST_P(SourceSymbols, RescoringAgreesWithGenerating) {
  const CommandResult generated = run("generate data-bin --format jsonl", "");
  ASSERT_EQ(generated.exit_code, kExitOk) << generated.errors;
  std::string sources, targets;
  std::vector<double> scores;
  for (const std::string& line : lines_of(generated.output)) {
    const json record = json::parse(line);
    sources += record.at("source").get<std::string>() + "\n";
    targets += record.at("hypotheses")[0].at("text").get<std::string>() + "\n";
    scores.push_back(record.at("hypotheses")[0].at("log_probability").get<double>());
  }
  workspace_.write("s", sources);
  workspace_.write("t", targets);
  const CommandResult rescored = run("rescore --source s --target t --format jsonl", "");
  ASSERT_EQ(rescored.exit_code, kExitOk) << rescored.errors;
  const auto lines = lines_of(rescored.output);
  ASSERT_EQ(lines.size(), scores.size());
  for (size_t i = 0; i < lines.size(); ++i)
    EXPECT_NEAR(json::parse(lines[i]).at("hypotheses")[0].at("log_probability").get<double>(),
                scores[i],
                1e-4);
}

TEST_P(SourceSymbols, RescoringTruncatesToWhatFitsIntoTheModel) {
  write_longest_sources();
  const CommandResult whole = run("rescore --source whole --target t", "");
  ASSERT_EQ(whole.exit_code, kExitOk) << whole.errors;
  const CommandResult rejected = run("rescore --source longer --target t", "");
  EXPECT_EQ(rejected.exit_code, kExitData);
  EXPECT_THAT(rejected.errors, HasSubstr("longer:1"));
  const CommandResult truncated = run("rescore --source longer --target t --truncate-source", "");
  ASSERT_EQ(truncated.exit_code, kExitOk) << truncated.errors;
  EXPECT_EQ(truncated.output, whole.output);
}

TEST_P(SourceSymbols, AnalyzesWhatFitsIntoTheModelAndNamesTheLineThatDoesNot) {
  write_longest_sources();
  const CommandResult whole = run("analyze dump --source whole --target t --output dump.jsonl", "");
  EXPECT_EQ(whole.exit_code, kExitOk) << whole.errors;
  const CommandResult rejected =
      run("analyze dump --source longer --target t --output none.jsonl", "");
  EXPECT_EQ(rejected.exit_code, kExitData);
  EXPECT_THAT(rejected.errors, HasSubstr("longer:1"));
  const CommandResult truncated =
      run("analyze dump --source longer --target t --truncate-source --output cut.jsonl", "");
  EXPECT_EQ(truncated.exit_code, kExitOk) << truncated.errors;
  EXPECT_EQ(workspace_.read("cut.jsonl"), workspace_.read("dump.jsonl"));
}

INSTANTIATE_TEST_SUITE_P(OfAllConventions,
                         SourceSymbols,
                         ::testing::Values("--source-bos no",
                                           "--source-bos yes",
                                           "--source-eos no"),
                         [](const auto& convention) {
                           std::string name = convention.param.substr(2);
                           std::erase_if(name, [](char c) { return c == '-' || c == ' '; });
                           return name;
                         });

}  // namespace
}  // namespace phraseq::end_to_end
