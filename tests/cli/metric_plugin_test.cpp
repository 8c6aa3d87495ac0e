// A metric of an external plugin in phraseq score and phraseq compare.

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq {
namespace {

using end_to_end::CommandResult;
using end_to_end::lines_of;
using end_to_end::words;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kPlugins = " --plugin-dir " PHRASEQ_BUILD_FOLDER "/tests/support/plugins";

/// The references have 4 words. System A is right, B lacks a word in every line, and C has two
/// extra words in the first line only.
class MetricPlugin : public ::testing::Test {
 protected:
  MetricPlugin() {
    std::string reference, short_lines;
    for (int line = 0; line < 20; ++line) {
      reference += "one two three four\n";
      short_lines += "one two three\n";
    }
    space.write("ref", reference);
    space.write("a", reference);
    space.write("b", short_lines);
    space.write("c", "one two three four five six\n" + reference.substr(reference.find('\n') + 1));
  }

  CommandResult run(const std::string& line) { return space.run(words(line + kPlugins)); }
  std::string output(const std::string& line) {
    const auto result = run(line);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result.output;
  }

  end_to_end::Workspace space;
};

TEST_F(MetricPlugin, ScoresAlone) {
  EXPECT_THAT(output("score ref -i b -m length_error -f text -w 2"),
              StartsWith("length error|nrefs:1|unit:words|level:corpus|lang:|version:phraseq-"));
  EXPECT_EQ(output("score ref -i b -m length_error -f text -w 2 -b"), "25.00\n");
  EXPECT_EQ(output("score ref -i b -m length-error -f text -w 2 -b"), "25.00\n");
  const auto report = nlohmann::json::parse(output("score ref -i b -m length_error"));
  EXPECT_EQ(report["name"], "length error");
  EXPECT_EQ(report["score"], 25.0);
  EXPECT_EQ(report["unit"], "words");
}

TEST_F(MetricPlugin, HasItsOwnOptionsAndTheTargetLanguage) {
  const std::string text =
      output("score ref -i b -m length_error -f text --length-error-characters -l en-de");
  EXPECT_THAT(text, HasSubstr("unit:characters|level:corpus|lang:de"));
  EXPECT_THAT(text, HasSubstr(" = 27.8"));  // " four" of 18 characters
  EXPECT_THAT(output("score --help -m length_error"), HasSubstr("--length-error-characters"));
  EXPECT_THAT(output("score --help"), Not(HasSubstr("--length-error-characters")));
}

TEST_F(MetricPlugin, IsPrintedNextToTheBuiltInMetrics) {
  EXPECT_THAT(lines_of(output("score ref -i a -m length_error ter bleu -f text -b")),
              ElementsAre("100.0", "0.0", "0.0"));
  EXPECT_THAT(lines_of(output("score ref -i a -m length_error ter bleu -f text"))[2],
              HasSubstr("length error|"));
}

TEST_F(MetricPlugin, ScoresEverySentence) {
  const auto lines = lines_of(output("score ref -i c -m length_error -sl -f text"));
  ASSERT_EQ(lines.size(), 20u);
  EXPECT_THAT(lines[0], AllOf(HasSubstr("level:sentence"), HasSubstr(" = 50.0")));
  EXPECT_THAT(lines[1], HasSubstr(" = 0.0"));
}

TEST_F(MetricPlugin, HasAConfidenceInterval) {
  // Every sentence has the same error, so every resample has.
  EXPECT_EQ(output("score ref -i b -m length_error -f text -b -ci"), "25.0 (μ = 25.0 ± 0.0)\n");
}

TEST_F(MetricPlugin, IsTestedByPairedBootstrap) {
  const auto table = nlohmann::json::parse(
      output("score ref -i a b c -m length_error --paired-bs --paired-bs-n 200"));
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table[1]["length error"]["score"], 25.0);
  EXPECT_EQ(table[1]["length error"]["mean"], 25.0);
  EXPECT_EQ(table[1]["length error"]["ci"], 0.0);
  EXPECT_LT(table[1]["length error"]["p_value"], 0.01);
  // C differs in one line, which many resamples contain three times or more.
  EXPECT_GT(table[2]["length error"]["p_value"], 0.02);
  const std::string text =
      output("score ref -i a b -m length_error bleu --paired-bs --paired-bs-n 200 -f text");
  EXPECT_THAT(text, AllOf(HasSubstr("length error"), HasSubstr("BLEU"), HasSubstr("bs:200")));
}

TEST_F(MetricPlugin, IsTestedByApproximateRandomization) {
  // A system that lacks a word in the odd lines, and one that lacks it in the even lines.
  std::string odd, even;
  for (int line = 0; line < 20; ++line) {
    odd += line % 2 == 1 ? "one two three\n" : "one two three four\n";
    even += line % 2 == 0 ? "one two three\n" : "one two three four\n";
  }
  space.write("odd", odd);
  space.write("even", even);
  const std::string test = " -m length_error --paired-ar --paired-ar-n 999";
  const auto different = nlohmann::json::parse(output("score ref -i a b" + test));
  EXPECT_EQ(different[1]["length error"]["p_value"], 0.001);
  const auto equal = nlohmann::json::parse(output("score ref -i odd even" + test));
  EXPECT_GT(equal[1]["length error"]["p_value"], 0.5);
  EXPECT_THAT(output("score ref -i a b -f latex" + test),
              AllOf(HasSubstr("length error"), HasSubstr("ar:999")));
}

TEST_F(MetricPlugin, IsComparedWithItsDirection) {
  const std::string line =
      "compare a b --ref ref -m bleu length_error --bucket-metric length_error --samples 20 ";
  const auto report = nlohmann::json::parse(output(line + "-f json"));
  EXPECT_EQ(report["systems"][1]["length error"]["score"], 25.0);
  EXPECT_EQ(report["buckets"]["metric"], "length error");
  EXPECT_EQ(report["lower_is_better"], nlohmann::json::array({"length error"}));
  EXPECT_THAT(output(line), HasSubstr("Lower is better: length error.\n"));
  EXPECT_THAT(output("compare a b --ref ref -m bleu --samples 20"), Not(HasSubstr("Lower is")));
}

TEST_F(MetricPlugin, IsNamedWhenItThrows) {
  const auto result = run("score ref -i a -m length_error --length-error-fails");
  EXPECT_EQ(result.exit_code, kExitPlugin);
  EXPECT_THAT(
      result.errors,
      AllOf(HasSubstr("plugin 'length_error'"), HasSubstr("in measure"), HasSubstr("no ruler")));
}

TEST_F(MetricPlugin, IsProposedForANameThatIsNearlyRight) {
  const auto near = run("score ref -i a -m lenght_error");
  EXPECT_EQ(near.exit_code, kExitUsage);
  EXPECT_THAT(near.errors,
              AllOf(HasSubstr("unknown metric 'lenght_error'"),
                    HasSubstr("did you mean 'length_error'"),
                    HasSubstr("'phraseq plugins list --kind metric --presets' lists all ")));
  EXPECT_THAT(run("compare a b --ref ref --bucket-metric blue").errors,
              HasSubstr("did you mean 'bleu'"));
}

TEST_F(MetricPlugin, NeedsNoLibTorch) {
  setenv("LD_DEBUG", "files", 1);
  const auto result = run("score ref -i a -m length_error bleu chrf ter");
  unsetenv("LD_DEBUG");
  EXPECT_EQ(result.exit_code, kExitOk);
  EXPECT_THAT(result.errors, HasSubstr("libphraseq-length_error.so"));
  EXPECT_THAT(result.errors, Not(HasSubstr("libtorch")));
}

TEST_F(MetricPlugin, HasItsOwnNameInEveryReport) {
  const auto result = run("score ref -i a -m chrf chrf++ -cw 2");
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("chrf and chrf++ are both chrF2++ with these options"));
  EXPECT_THAT(lines_of(output("score ref -i a -m chrf chrf++ -cw 1 -f text")),
              ElementsAre(HasSubstr("chrF2+|"), HasSubstr("chrF2++|")));
}

TEST_F(MetricPlugin, SharesOptionsBetweenABuiltInMetricAndItsPresets) {
  const auto lines = lines_of(
      output("score ref -i a -m multi-bleu mteval-v11b bleu -lc --bleu-tokenize char -f text"));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr("BLEU|nrefs:1|case:lc|eff:no|tok:char|smooth:exp|"));
  EXPECT_THAT(lines[1], HasSubstr("multi-bleu|nrefs:1|case:lc|eff:no|tok:none|smooth:none|"));
  EXPECT_THAT(lines[2], HasSubstr("mteval-v11b|nrefs:1|case:lc|eff:no|tok:13a|smooth:none|"));
  EXPECT_THAT(output("score ref -i a -m mteval-v11b --mteval-preserve-case -f text"),
              HasSubstr("case:mixed"));
}

TEST_F(MetricPlugin, IsNamedInAConfigurationFile) {
  space.write("score.ini", "metrics = length_error\nlength-error-characters = yes\n");
  EXPECT_EQ(output("score ref -i b --config score.ini -f text -b"), "27.8\n");
}

}  // namespace
}  // namespace phraseq
