#include "core/score/compare/system_outputs.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/score/compare/comparison.h"
#include "core/score/metrics/bleu.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::score {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SystemOutputs, AreAFileOrNamedFiles) {
  EXPECT_THAT(parse_system_outputs("base.de").files, ElementsAre("base.de"));
  EXPECT_EQ(parse_system_outputs("base.de").name, "base.de");
  EXPECT_THAT(parse_system_outputs("-").files, ElementsAre("-"));
  const auto named = parse_system_outputs("new=a,b/c=d,e");
  EXPECT_EQ(named.name, "new");
  EXPECT_THAT(named.files, ElementsAre("a", "b/c=d", "e"));
  EXPECT_THAT(parse_system_outputs("runs/lr=1/out").files, ElementsAre("runs/lr=1/out"));
  EXPECT_THAT(parse_system_outputs("a,b").files, ElementsAre("a", "b"));
  for (const char* text : {"", "=a", "new=", "a,,b", "a,"})
    EXPECT_THROW(parse_system_outputs(text), UsageError) << text;
  EXPECT_THROW(parse_systems({"x=a", "x=b"}), UsageError);
}

TEST(SystemOutputs, AreAFileWhereTheTextNamesOne) {
  const TemporaryFolder folder;
  const std::string name = folder.write("a=b,c", "line\n");
  EXPECT_THAT(parse_system_outputs(name).files, ElementsAre(name));
}

TEST(StandardDeviation, DividesByOneLessThanTheNumber) {
  EXPECT_DOUBLE_EQ(standard_deviation({1, 2, 4}), std::sqrt(7.0 / 3));
  EXPECT_EQ(standard_deviation({5}), 0);
}

TEST(CombinedOutputs, EqualASingleOutput) {
  std::mt19937_64 random(1);
  const BootstrappedScore one{3, {1, 2, 3}};
  const auto combined = combine_outputs({&one, 1}, random);
  EXPECT_EQ(combined.score, 3);
  EXPECT_EQ(combined.resampled, one.resampled);
  EXPECT_EQ(random, std::mt19937_64(1));  // nothing was drawn
}

/// Two outputs score 0 and 10 in all resamples, so the mean of two draws is 0, 5 or 10 with
/// probabilities 1/4, 1/2 and 1/4.
TEST(CombinedOutputs, DrawAsManyOutputsAsThereAre) {
  constexpr size_t kSamples = 20000;
  const std::vector<BootstrappedScore> two = {{0, std::vector<double>(kSamples, 0)},
                                              {10, std::vector<double>(kSamples, 10)}};
  std::mt19937_64 random(1);
  const auto combined = combine_outputs(two, random);
  EXPECT_EQ(combined.score, 5);
  std::map<double, double> shares;
  for (const double value : combined.resampled) shares[value] += 1.0 / kSamples;
  EXPECT_EQ(shares.size(), 3u);
  EXPECT_NEAR(shares[0], 0.25, 0.02);
  EXPECT_NEAR(shares[5], 0.5, 0.02);
  EXPECT_NEAR(shares[10], 0.25, 0.02);
}

/// Sixty sentences; the outputs of a system have an error in every sentence whose number modulo 7
/// is at most `worst`.
class SeveralSeeds : public ::testing::Test {
 protected:
  static Lines output(int worst) {
    Lines lines = reference();
    for (size_t line = 0; line < lines.size(); ++line) {
      if (static_cast<int>(line % 7) <= worst)
        lines[line].replace(lines[line].find("sat"), 3, "lay");
    }
    return lines;
  }
  static Lines reference() {
    Lines lines;
    for (int line = 0; line < 60; ++line)
      lines.push_back("the cat number " + std::to_string(line) + " sat on the mat");
    return lines;
  }
  static Comparison of(const std::vector<std::vector<int>>& systems) {
    const Lines lengths = reference();
    ScoreInput input{{}, {lengths}};
    std::vector<SystemOutputs> outputs;
    for (const auto& system : systems) {
      outputs.push_back({"s" + std::to_string(outputs.size()), {}});
      for (const int worst : system) {
        outputs.back().files.push_back("f" + std::to_string(input.systems.size()));
        input.systems.push_back({outputs.back().files.back(), output(worst)});
      }
    }
    Metrics metrics;
    metrics.push_back(std::make_unique<Bleu>(BleuSettings{}));
    return compare(metrics,
                   Bleu({}),
                   input,
                   outputs,
                   {"reference", &lengths, LengthUnit::kWords, {5}},
                   {1000, {}, 1});
  }
};

TEST_F(SeveralSeeds, AreAveraged) {
  const auto comparison = of({{2, 2, 2}, {0, 1, 5}});
  const auto alone = of({{2}, {0}, {1}, {5}});
  const auto& score = comparison.scores[1][0];
  ASSERT_EQ(score.outputs.size(), 3u);
  for (size_t seed = 0; seed < 3; ++seed)
    EXPECT_EQ(score.outputs[seed], alone.scores[1 + seed][0].score);
  EXPECT_DOUBLE_EQ(score.score, (score.outputs[0] + score.outputs[1] + score.outputs[2]) / 3);
  EXPECT_EQ(comparison.lengths.rows.back().systems[1].outputs.size(), 3u);
  EXPECT_THAT(comparison.systems, ElementsAre("s0", "s1"));
}

TEST_F(SeveralSeeds, ChangeNothingWhenTheyAgree) {
  const auto several = of({{3, 3}, {1, 1, 1}});
  const auto single = of({{3}, {1}});
  for (size_t system = 0; system < 2; ++system) {
    EXPECT_DOUBLE_EQ(several.scores[system][0].score, single.scores[system][0].score);
    EXPECT_NEAR(several.scores[system][0].interval.half_width,
                single.scores[system][0].interval.half_width,
                1e-9);
  }
  EXPECT_EQ(several.scores[1][0].p_value, single.scores[1][0].p_value);
}

TEST_F(SeveralSeeds, MakeADifferenceLessCertainWhenTheyDisagree) {
  const auto agreeing = of({{3, 3, 3}, {2, 2, 2}});
  const auto disagreeing = of({{1, 3, 5}, {0, 2, 4}});
  EXPECT_GT(disagreeing.scores[1][0].interval.half_width,
            2 * agreeing.scores[1][0].interval.half_width);
  EXPECT_LT(*agreeing.scores[1][0].p_value, 0.05);
  EXPECT_GT(*disagreeing.scores[1][0].p_value, 0.05);
}

}  // namespace
}  // namespace phraseq::score
