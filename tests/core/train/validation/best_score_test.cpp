#include "core/train/validation/best_score.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

struct BestScoreTest : ::testing::Test {
  std::optional<double> best;
  int64_t without_better = 0;
};

TEST_F(BestScoreTest, TakesTheFirstValueWhateverItIs) {
  BestScore score(/*larger_is_better=*/true, best, without_better);
  EXPECT_TRUE(score.note(-3.5));
  EXPECT_EQ(best, -3.5);
  EXPECT_EQ(without_better, 0);
}

TEST_F(BestScoreTest, KeepsTheLargestOrTheSmallest) {
  BestScore largest(true, best, without_better);
  EXPECT_TRUE(largest.note(10));
  EXPECT_FALSE(largest.note(9));
  EXPECT_TRUE(largest.note(11));
  EXPECT_EQ(best, 11);
  best.reset();
  BestScore smallest(false, best, without_better);
  EXPECT_TRUE(smallest.note(10));
  EXPECT_FALSE(smallest.note(11));
  EXPECT_TRUE(smallest.note(9));
  EXPECT_EQ(best, 9);
}

TEST_F(BestScoreTest, TakesAnEqualValueButDoesNotCountItAsAnImprovement) {
  for (const bool larger : {false, true}) {
    best = 4;
    without_better = 2;
    EXPECT_TRUE(BestScore(larger, best, without_better).note(4));
    EXPECT_EQ(without_better, 3);
  }
}

TEST_F(BestScoreTest, CountsValidationsWithoutABetterOne) {
  BestScore score(false, best, without_better);
  score.note(5);
  score.note(6);
  score.note(7);
  EXPECT_EQ(without_better, 2);
  score.note(4);
  EXPECT_EQ(without_better, 0);
}

TEST_F(BestScoreTest, NeverTakesAValueThatIsNotFinite) {
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    best.reset();
    without_better = 0;
    BestScore score(false, best, without_better);
    EXPECT_FALSE(score.note(value));
    EXPECT_EQ(best, std::nullopt);
    EXPECT_TRUE(score.note(5));
    EXPECT_FALSE(score.note(value));
    EXPECT_EQ(best, 5);
    EXPECT_EQ(without_better, 1);
  }
}

}  // namespace
}  // namespace phraseq
