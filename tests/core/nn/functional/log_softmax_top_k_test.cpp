#include "core/nn/functional/log_softmax_top_k.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace phraseq {
namespace {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

template <class Number>
std::vector<Number> random_scores(size_t size, uint64_t seed) {
  Random random(seed);
  std::vector<Number> scores(size);
  for (Number& score : scores) score = static_cast<Number>(20 * random.uniform() - 14);
  return scores;
}

/// The definition, in double: every log-probability, sorted.
template <class Number>
std::vector<RankedColumn> expected_ranking(const std::vector<Number>& scores,
                                           size_t k,
                                           const std::vector<ScoreEdit>& edits) {
  double sum = 0;
  for (const Number score : scores) sum += std::exp(static_cast<double>(score));
  std::vector<RankedColumn> all;
  for (size_t i = 0; i < scores.size(); ++i) {
    all.push_back({static_cast<double>(scores[i]) - std::log(sum), static_cast<int64_t>(i)});
  }
  for (const ScoreEdit& edit : edits)
    all[static_cast<size_t>(edit.column)].log_probability += edit.change;
  std::erase_if(all,
                [](const RankedColumn& column) { return column.log_probability == kForbidden; });
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.log_probability > b.log_probability;
  });
  all.resize(std::min(all.size(), k));
  return all;
}

template <class Number>
void expect_reference(size_t size,
                      int64_t k,
                      const std::vector<ScoreEdit>& edits,
                      double tolerance) {
  const auto scores = random_scores<Number>(size, 11 * size + static_cast<size_t>(k));
  std::vector<RankedColumn> best;
  log_softmax_top_k(std::span<const Number>(scores), k, edits, false, best);
  const auto expected = expected_ranking(scores, static_cast<size_t>(k), edits);
  ASSERT_EQ(best.size(), expected.size()) << size << " columns, k " << k;
  for (size_t i = 0; i < best.size(); ++i) {
    EXPECT_EQ(best[i].column, expected[i].column) << "place " << i;
    EXPECT_NEAR(best[i].log_probability, expected[i].log_probability, tolerance);
  }
}

TEST(LogSoftmaxTopK, EqualsSortingTheLogSoftmax) {
  for (const size_t size : {1u, 7u, 64u, 65u, 1000u, 9648u}) {
    for (const int64_t k : {1, 2, 10, 157, 20000}) {
      expect_reference<float>(size, k, {}, 3e-6);
      expect_reference<double>(size, k, {}, 1e-12);
    }
  }
}

TEST(LogSoftmaxTopK, AppliesEditsAfterNormalizing) {
  const std::vector<ScoreEdit> edits{{1, kForbidden}, {64, kForbidden}, {3, 30.0}, {700, -2.5}};
  for (const int64_t k : {1, 3, 12}) {
    expect_reference<float>(999, k, edits, 3e-6);
    expect_reference<double>(999, k, edits, 1e-12);
  }
}

TEST(LogSoftmaxTopK, StillFindsKWhenTheBestAreForbidden) {
  std::vector<float> scores(640);
  for (size_t i = 0; i < scores.size(); ++i)
    scores[i] = static_cast<float>(i % 64 == 5 ? 10 : 0) + 1e-3f * static_cast<float>(i % 7);
  std::vector<ScoreEdit> edits;
  for (int64_t block = 0; block < 10; ++block) edits.push_back({64 * block + 5, kForbidden});
  std::vector<RankedColumn> best;
  log_softmax_top_k(std::span<const float>(scores), 3, edits, false, best);
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[0].column, 6);
  EXPECT_EQ(best[1].column, 13);
  EXPECT_EQ(best[2].column, 20);
}

TEST(LogSoftmaxTopK, BreaksTiesByTheLowerColumn) {
  const std::vector<float> scores(200, 1.5f);
  const std::vector<ScoreEdit> edits{{0, kForbidden}, {2, 0.0}};
  std::vector<RankedColumn> best;
  log_softmax_top_k(std::span<const float>(scores), 4, edits, false, best);
  ASSERT_EQ(best.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(best[i].column, static_cast<int64_t>(i) + 1);
  EXPECT_NEAR(best[0].log_probability, -std::log(200.0), 1e-6);
}

TEST(LogSoftmaxTopK, TakesNormalizedScoresAsTheyAre) {
  const std::vector<double> scores{-3.0, -0.25, kForbidden, -1.0};
  std::vector<RankedColumn> best;
  EXPECT_EQ(log_softmax_top_k(std::span<const double>(scores), 4, {}, true, best), 0);
  ASSERT_EQ(best.size(), 3u);  // the impossible column is left out
  EXPECT_EQ(best[0].column, 1);
  EXPECT_EQ(best[0].log_probability, -0.25);
  EXPECT_EQ(best[2].log_probability, -3.0);
}

TEST(LogSoftmaxTopK, ReturnsNaNForScoresThatAreNotNumbers) {
  const float bad[] = {std::numeric_limits<float>::quiet_NaN(),
                       std::numeric_limits<float>::infinity()};
  for (const float value : bad) {
    std::vector<float> scores(100, 0.0f);
    scores[77] = value;
    std::vector<RankedColumn> best;
    EXPECT_TRUE(std::isnan(log_softmax_top_k(std::span<const float>(scores), 5, {}, false, best)));
    EXPECT_TRUE(std::isnan(log_sum_exp(std::span<const float>(scores))));
    EXPECT_TRUE(best.empty());
  }
}

TEST(LogSumExp, IsStableForExtremeScores) {
  const std::vector<float> scores{-1000.0f, 500.0f, 500.0f, -3e38f};
  EXPECT_NEAR(log_sum_exp(std::span<const float>(scores)), 500 + std::log(2.0), 1e-4);
}

TEST(LogSumExp, IsUnmovedByColumnsWithoutProbability) {
  std::vector<float> scores;
  for (int i = 0; i < 157; ++i) scores.push_back(3 * std::sin(0.7F * static_cast<float>(i)));
  const double alone = log_sum_exp(std::span<const float>(scores));
  for (int added = 1; added <= 130; ++added) {
    scores.push_back(added % 2 == 0 ? -1e30F : -std::numeric_limits<float>::infinity());
    EXPECT_EQ(log_sum_exp(std::span<const float>(scores)), alone) << added << " added columns";
  }
}

}  // namespace
}  // namespace phraseq
