// Contrastive evaluation with a model trained here, which decides which of two translations is more
// probable.

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// A translator of digits, trained once for all tests.
class ContrastiveRescoring : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    space = new Workspace;
    write_toy_corpus(*space, 2000);
    for (const Arguments& arguments : {toy_preprocess(), toy_train("checkpoints", 600)}) {
      const CommandResult result = space->run(arguments);
      ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
    }
    write_set();
  }
  static void TearDownTestSuite() {
    delete space;
    space = nullptr;
  }

  /// The test set against itself with a wrong last word; the length of the source is used as the
  /// distance. In the last two rows, both translations have the same words, and the right
  /// translation is the contrastive one.
  static void write_set() {
    const auto english = lines_of(space->read("test.en")),
               german = lines_of(space->read("test.de"));
    std::string set = "source\treference\tcontrastive\tcategory\tdistance\n", sources, targets;
    const auto add = [&](const std::string& source,
                         const std::string& reference,
                         const std::string& contrastive,
                         const std::string& rest) {
      set += source + '\t' + reference + '\t' + contrastive + '\t' + rest + '\n';
      sources += source + '\n' + source + '\n';
      targets += reference + '\n' + contrastive + '\n';
    };
    for (size_t i = 0; i < english.size(); ++i) {
      const size_t last = german[i].rfind(' ') + 1;  // 0 for a single word
      const std::string wrong = german[i].substr(last) == "eins" ? "zwei" : "eins";
      add(english[i],
          german[i],
          german[i].substr(0, last) + wrong,
          fmt::format("number\t{}", words(english[i]).size()));
    }
    add("one two", "eins zwei", "eins  zwei", "same\t");
    add("one two", "eins drei", "eins zwei", "swapped\t");
    space->write("set.tsv", set);
    space->write("sources", sources);
    space->write("targets", targets);
  }

  static CommandResult rescore(const std::string& arguments) {
    return space->run(words("rescore --path checkpoints " + arguments));
  }

  static Workspace* space;
};

Workspace* ContrastiveRescoring::space = nullptr;

TEST_F(ContrastiveRescoring, CountsHowOftenTheReferenceIsMoreProbable) {
  const auto result = rescore("--contrastive set.tsv --json");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  const auto report = nlohmann::json::parse(result.output);
  const auto& all = report["all"];
  EXPECT_EQ(all["pairs"], 32);
  EXPECT_EQ(all["systems"][0]["ties"], 1);
  const auto& kinds = report["groups"][0]["rows"];
  EXPECT_EQ(kinds[0]["name"], "number");
  EXPECT_GE(kinds[0]["systems"][0]["right"], 27);  // of 30, as the model has learned most of it
  EXPECT_EQ(kinds[1]["name"], "same");
  EXPECT_EQ(kinds[1]["systems"][0]["right"], 0);
  EXPECT_EQ(kinds[2]["systems"][0]["right"], 0);
  EXPECT_EQ(all["systems"][0]["right"], kinds[0]["systems"][0]["right"]);
  const auto& distances = report["groups"][1]["rows"];
  EXPECT_EQ(distances.size(), 17u);
  int pairs = 0;
  for (const auto& row : distances) pairs += row["pairs"].get<int>();
  EXPECT_EQ(pairs, 30);
}

TEST_F(ContrastiveRescoring, WritesWhatRescoringGivesForEachTranslation) {
  const auto scores = rescore("--source sources --target targets");
  ASSERT_EQ(scores.exit_code, kExitOk) << scores.errors;
  const auto result = rescore("--contrastive set.tsv --output rows --buffer-size 5 --batch-size 3");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  const auto expected = lines_of(scores.output), rows = lines_of(space->read("rows"));
  ASSERT_THAT(rows, SizeIs(32));
  for (size_t i = 0; i < rows.size(); ++i) {
    size_t end = 0;
    EXPECT_NEAR(std::stod(rows[i], &end), std::stod(expected[2 * i]), 1e-4) << i;
    EXPECT_NEAR(std::stod(rows[i].substr(end)), std::stod(expected[2 * i + 1]), 1e-4) << i;
  }
  EXPECT_THAT(rows[30], ::testing::EndsWith("\ttie"));
  EXPECT_THAT(rows[31], ::testing::EndsWith("\twrong"));
}

TEST_F(ContrastiveRescoring, ComparesSystemsAndDrawsThem) {
  const auto result = rescore(
      "--contrastive set.tsv --against checkpoints:checkpoints checkpoints/checkpoint_last "
      "--distance-edges 2,5 --plot plot.svg --format jsonl --output rows.jsonl");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("checkpoints:checkpoints"),
                    HasSubstr("+0.0000 (p = 1.0000)"),
                    HasSubstr("2 to 4")));
  EXPECT_THAT(space->read("plot.svg"), HasSubstr("<title>checkpoints:checkpoints, &gt;4: "));
  const auto rows = lines_of(space->read("rows.jsonl"));
  ASSERT_THAT(rows, SizeIs(32));
  EXPECT_EQ(nlohmann::json::parse(rows[0])["systems"].size(), 3u);
}

TEST_F(ContrastiveRescoring, AlignsTheTreesOfItsSources) {
  const std::string heading = "source\treference\tcontrastive\ttree\n";
  space->write("trees.tsv", heading + "one two\teins zwei\teins\t(S (X one) (X two))\n");
  EXPECT_EQ(rescore("--contrastive trees.tsv").exit_code, kExitOk);
  space->write("wrong.tsv", heading + "one two\teins zwei\teins\t(S (X one) (X three))\n");
  const auto wrong = rescore("--contrastive wrong.tsv");
  EXPECT_EQ(wrong.exit_code, kExitData);
  EXPECT_THAT(wrong.errors, HasSubstr("wrong.tsv, tree:2:15: leaf 2 of 2 is 'three'"));
}

TEST_F(ContrastiveRescoring, RejectsBadSetsAndContradictions) {
  space->write("short.tsv", "source\treference\tcontrastive\none\teins\n");
  const auto result = rescore("--contrastive short.tsv --output nothing");
  EXPECT_EQ(result.exit_code, kExitData);
  EXPECT_THAT(result.errors, HasSubstr("short.tsv:2: 2 TAB-separated fields, the header has 3"));
  EXPECT_FALSE(space->exists("nothing"));
  std::string text = "source\treference\tcontrastive\n";
  for (const char* column : {"\t", "\t", "\n"}) {
    for (int i = 0; i < 1100; ++i) text += "one ";
    text += column;
  }
  space->write("long.tsv", text);
  const auto too_long = rescore("--contrastive long.tsv");
  EXPECT_EQ(too_long.exit_code, kExitData);
  EXPECT_THAT(too_long.errors,
              HasSubstr("long.tsv:2: the source has 1101 tokens, the model accepts at most 1024"));
  EXPECT_EQ(rescore("--contrastive set.tsv --source sources --target targets").exit_code,
            kExitUsage);
  EXPECT_EQ(rescore("--contrastive set.tsv --format fairseq").exit_code, kExitUsage);
  EXPECT_EQ(rescore("--contrastive missing.tsv").exit_code, kExitIo);
  EXPECT_EQ(rescore("--source sources").exit_code, kExitUsage);
}

}  // namespace
}  // namespace phraseq::end_to_end
