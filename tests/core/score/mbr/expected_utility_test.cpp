#include "core/score/mbr/expected_utility.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/score/mbr/mbr_options.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq::score {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

/// 10 for each byte that two texts of one length share.
class CommonBytes final : public Metric {
 public:
  explicit CommonBytes(bool higher_is_better = true) : higher_(higher_is_better) {}
  std::string name() const override { return "common"; }
  bool higher_is_better() const override { return higher_; }
  size_t statistics() const override { return 1; }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view> references,
               std::span<double> row) const override {
    for (size_t i = 0; i < std::min(hypothesis.size(), references[0].size()); ++i)
      row[0] += hypothesis[i] == references[0][i] ? 1 : 0;
  }
  double score(std::span<const double> sums) const override { return 10 * sums[0]; }

 private:
  bool higher_;
};

TEST(ExpectedUtility, IsTheWeightedMeanOverAllHypotheses) {
  const std::vector<std::string> texts = {"ab", "ac", "xc"};
  const std::vector<double> weights = {0.5, 0.3, 0.2};
  EXPECT_THAT(expected_utilities(CommonBytes(), texts, weights),
              ElementsAre(DoubleEq(0.5 * 20 + 0.3 * 10),
                          DoubleEq(0.5 * 10 + 0.3 * 20 + 0.2 * 10),
                          DoubleEq(0.3 * 10 + 0.2 * 20)));
}

TEST(ExpectedUtility, IsNegativeWhereLowerIsBetter) {
  const std::vector<std::string> texts = {"a", "b"};
  EXPECT_THAT(
      expected_utilities(
          CommonBytes(false), texts, mbr_weights(MbrWeights::kUniform, std::vector<double>(2))),
      ElementsAre(-5, -5));
}

TEST(ExpectedUtility, CountsEqualSamplesAsOftenAsTheyOccur) {
  const std::vector<std::string> texts = {"a", "b", "b"};
  const auto weights = mbr_weights(MbrWeights::kUniform, std::vector<double>(3));
  EXPECT_THAT(expected_utilities(CommonBytes(), texts, weights),
              ElementsAre(testing::DoubleNear(10.0 / 3, 1e-9),
                          testing::DoubleNear(20.0 / 3, 1e-9),
                          testing::DoubleNear(20.0 / 3, 1e-9)));
}

/// Each has seven equal bytes, but (20 + 20 + 30) / 3 and (20 + 30 + 20) / 3 are rounded
/// differently.
TEST(ExpectedUtility, DoesNotDependOnTheOrderOfTheSum) {
  const std::vector<std::string> texts = {"acc", "ccc", "bcc"};
  const auto weights = mbr_weights(MbrWeights::kUniform, std::vector<double>(3));
  const auto utilities = expected_utilities(CommonBytes(), texts, weights);
  EXPECT_EQ(utilities[0], utilities[1]);
  EXPECT_EQ(utilities[0], utilities[2]);
}

TEST(MbrWeights, AreProbabilitiesNormalizedOverTheList) {
  const std::vector<double> scores = {std::log(0.02) - 900, std::log(0.06) - 900};
  EXPECT_THAT(mbr_weights(MbrWeights::kProbability, scores),
              ElementsAre(testing::DoubleNear(0.25, 1e-12), testing::DoubleNear(0.75, 1e-12)));
}

class NBestLists : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  static std::string problem(const std::string& path,
                             NBestFormat format,
                             int64_t size,
                             bool needs_probabilities = false) {
    return whole_message_of<DataError>(
        [&] { read_nbest_lists(path, format, size, needs_probabilities); });
  }

  TemporaryFolder folder_;
};

TEST_F(NBestLists, AreReadFromTheOutputOfFairseqInAnyOrder) {
  const std::string path =
      file("fairseq",
           "S-1\tx\nH-1\t-1\tb@@ b\nD-1\t-1\tbb\nP-1\t-1\n"
           "H-0\t-2\ta\nD-0\t-2\ta\tc\nH-1\t-3\td\nD-1\t-3\td\nGenerate test\n");
  const auto lists = read_nbest_lists(path, NBestFormat::kFairseq, 1);
  ASSERT_EQ(lists.size(), 2U);
  EXPECT_THAT(lists[0].texts, ElementsAre("a\tc"));
  EXPECT_THAT(lists[1].texts, ElementsAre("bb", "d"));
  EXPECT_TRUE(lists[1].scores.empty()) << "the scores in the lines are divided by the length";
}

// log2 p of the first is -3 and of the second -6, although the second has the better score.
TEST_F(NBestLists, HaveTheProbabilitiesOfTheirTokens) {
  std::string text = "H-0\t-1.0\ta@@ a\nD-0\t-1.0\taa\nP-0\t-1 -1 -1\n";
  text += "H-0\t-0.5\tc m\nD-0\t-0.5\tcm\nP-0\t";
  for (int token = 0; token < 12; ++token) text += token == 0 ? "-0.5" : " -0.5";
  const std::string path = file("fairseq", text + "\n");
  const auto lists = read_nbest_lists(path, NBestFormat::kFairseq, 1, true);
  EXPECT_THAT(lists[0].texts, ElementsAre("aa", "cm"));
  EXPECT_THAT(lists[0].scores,
              ElementsAre(DoubleEq(-3 * std::log(2.0)), DoubleEq(-6 * std::log(2.0))));
  MbrOptions options;
  options.inputs = {path};
  options.weights = MbrWeights::kProbability;
  EXPECT_THAT(choose_by_mbr(read_all_lists(options), CommonBytes(), options.weights),
              ElementsAre("aa"));
}

TEST_F(NBestLists, WithoutProbabilitiesAreRejectedWhereTheyAreNeeded) {
  const std::string path = file("some", "D-0\t-1\ta\nP-0\t-1\nD-0\t-1\tb\nD-0\t-1\tc\nP-0\t-1\n");
  EXPECT_THAT(problem(path, NBestFormat::kFairseq, 1, true),
              testing::AllOf(HasSubstr(path + ":3: the hypothesis has no P- line"),
                             HasSubstr("--weights uniform")));
  EXPECT_EQ(problem(path, NBestFormat::kFairseq, 1), kNothingThrown);
  for (const std::string line : {"P-0\t-1\n", "P-1\t-1\n", "P-0\t-1 nan\n", "P-0\n"}) {
    const std::string bad = file("bad", "D-0\t-1\ta\nP-0\t-1\n" + line);
    EXPECT_THAT(problem(bad, NBestFormat::kFairseq, 1, true), HasSubstr(bad + ":3")) << line;
  }
}

TEST_F(NBestLists, OfMosesNeedScoresForProbabilities) {
  const std::string path = file("moses", "0 ||| a ||| F= 1 ||| -1\n0 ||| b\n");
  EXPECT_THAT(problem(path, NBestFormat::kMoses, 1, true),
              testing::AllOf(HasSubstr(path + ":2: expected ID ||| text ||| features ||| score"),
                             HasSubstr("--weights uniform")));
  EXPECT_EQ(problem(path, NBestFormat::kMoses, 1), kNothingThrown);
}

TEST_F(NBestLists, AreRejectedWhereTextsAreMissing) {
  const std::string path =
      file("cut", "H-0\t-1\ta\nD-0\t-1\ta\nH-1\t-1\tb\nD-1\t-1\tb\nH-1\t-2\tc\n");
  EXPECT_THAT(problem(path, NBestFormat::kFairseq, 1),
              HasSubstr(path + ":3: sentence 1 has 2 H- and 1 D- lines"));
}

TEST_F(NBestLists, AreReadFromOtherFormats) {
  const auto moses = read_nbest_lists(
      file("moses", "0 ||| a b ||| LM= -2 ||| -0.5\n0 ||| c ||| LM= -1 ||| -0.7\n"),
      NBestFormat::kMoses,
      1);
  EXPECT_THAT(moses[0].texts, ElementsAre("a b", "c"));
  EXPECT_THAT(moses[0].scores, ElementsAre(-0.5, -0.7));
  const auto plain = read_nbest_lists(file("plain", "a\nb\nc\nd\n"), NBestFormat::kPlain, 2);
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_THAT(plain[1].texts, ElementsAre("c", "d"));
}

// As Moses writes them with -print-alignment-info-in-n-best and without words, and as Marian does.
TEST_F(NBestLists, OfMosesMayHaveAlignmentsAndNoWords) {
  std::string text = "0 ||| a b ||| LM0= -2 ||| -0.5 ||| 0-1=0-1 ||| 0-0 1-1 \n";
  text += "0 ||| ||| LM0= -1 ||| -2 ||| ||| \n";
  text += "0 ||| a |||| b ||| 0-0 1-1 ||| F0= -3 ||| -3\n";
  text += "0 ||| c  ||| -4\n";
  const auto lists = read_nbest_lists(file("moses", text), NBestFormat::kMoses, 1);
  EXPECT_THAT(lists[0].texts, ElementsAre("a b", "", "a |||| b", "c"));
  EXPECT_THAT(lists[0].scores, ElementsAre(-0.5, -2, -3, -4));
  for (const std::string line : {"0 ||| a ||| 0-0\n", "0 ||| a ||| x ||| 0-0 ||| 0-0\n"}) {
    const std::string bad = file("bad", line);
    EXPECT_THAT(problem(bad, NBestFormat::kMoses, 1), HasSubstr(bad + ":1")) << line;
  }
}

TEST_F(NBestLists, WithFaultsAreRejectedWithTheLine) {
  const std::string short_file = file("short", "a\nb\nc\n");
  EXPECT_THAT(problem(short_file, NBestFormat::kPlain, 2),
              testing::AllOf(HasSubstr(short_file), HasSubstr("has only 1 of 2 hypotheses")));
  EXPECT_THAT(problem(file("gap", "D-0\t-1\ta\nD-2\t-1\tb\n"), NBestFormat::kFairseq, 1),
              HasSubstr("sentence 1 has no hypotheses, but sentence 2 does"));
  const std::string bad = file("bad", "D-0\t-1\ta\nD-x\t-1\tb\n");
  EXPECT_THAT(problem(bad, NBestFormat::kFairseq, 1), HasSubstr(bad + ":2"));
  EXPECT_THAT(problem(file("no_moses", "a b c\n"), NBestFormat::kMoses, 1),
              HasSubstr("ID ||| text"));
}

TEST_F(NBestLists, HaveFiniteScores) {
  for (const std::string score : {"nan", "inf", "-inf"}) {
    const std::string fairseq = file("fairseq", "D-0\t-1\ta\nD-0\t" + score + "\tb\n");
    EXPECT_THAT(problem(fairseq, NBestFormat::kFairseq, 1), HasSubstr(fairseq + ":2")) << score;
    const std::string moses = file("moses", "0 ||| a ||| x ||| " + score + "\n");
    EXPECT_THAT(problem(moses, NBestFormat::kMoses, 1), HasSubstr(moses + ":1")) << score;
  }
}

TEST_F(NBestLists, OfAnotherFormatAreNotTakenForAnEmptyOne) {
  const std::string plain = file("not_fairseq", "ein Haus\nein Hund\n");
  EXPECT_THAT(
      problem(plain, NBestFormat::kFairseq, 1),
      testing::AllOf(
          HasSubstr(plain), HasSubstr("there are no hypotheses"), HasSubstr("another --format")));
  EXPECT_EQ(read_nbest_lists(file("empty", ""), NBestFormat::kFairseq, 1).size(), 0U);
}

TEST_F(NBestLists, OfSeveralSystemsAreOneList) {
  MbrOptions options;
  options.format = NBestFormat::kPlain;
  options.inputs = {file("a", "ab\nxx\n"), file("b", "ac\nyy\n"), file("c", "zc\nyy\n")};
  EXPECT_THAT(choose_by_mbr(read_all_lists(options), CommonBytes(), options.weights),
              ElementsAre("ac", "yy"));
  options.inputs.push_back(file("d", "ab\n"));
  EXPECT_THROW(read_all_lists(options), DataError);
}

}  // namespace
}  // namespace phraseq::score
