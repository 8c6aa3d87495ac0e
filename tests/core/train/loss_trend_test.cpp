#include "core/train/loss_trend.h"

#include <numbers>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

constexpr double kBit = std::numbers::ln2;

TEST(LossTrend, ReportsALossThatStaysTheSame) {
  LossTrend trend;
  for (int i = 0; i < 200; ++i) trend.note((i % 2 == 0 ? 9.25 : 8.75) * 7 * kBit, 7);
  EXPECT_EQ(trend.finding(),
            "the training loss has not fallen: 9.00 bits per token over the first 20 updates and "
            "9.00 over the last 20");
}

TEST(LossTrend, ReportsALossThatHasRisen) {
  LossTrend trend;
  for (int i = 0; i < 100; ++i) trend.note((i < 50 ? 8 : 10) * kBit, 1);
  EXPECT_NE(trend.finding().find("8.00 bits per token over the first 10 updates and 10.00 over"),
            std::string::npos)
      << trend.finding();
}

TEST(LossTrend, IsSilentAboutALossThatFalls) {
  LossTrend trend;
  for (int i = 0; i < 100; ++i) trend.note((10 - 0.003 * i) * 5, 5);  // by 2.7 %
  EXPECT_EQ(trend.finding(), "");
}

TEST(LossTrend, IsSilentAboutAShortRun) {
  LossTrend trend;
  for (int i = 0; i < 99; ++i) trend.note(9, 1);
  EXPECT_EQ(trend.finding(), "");
  trend.note(9, 1);
  EXPECT_NE(trend.finding(), "");
}

TEST(LossTrend, WeighsUpdatesByTheirTokens) {
  LossTrend trend;
  for (int i = 0; i < 100; ++i) {  // the mean over updates would rise
    trend.note(90 * kBit, 10);
    trend.note(i < 50 ? 1 * kBit : 12 * kBit, i < 50 ? 1 : 2);
  }
  EXPECT_EQ(trend.finding().find("the training loss has not fallen: 8.27 bits per token over the "
                                 "first 20 updates and 8.50"),
            0u)
      << trend.finding();
}

TEST(LossTrend, CoversLongRunsFromTheirFirstUpdateToTheirLast) {
  LossTrend falls, stays;
  for (int i = 0; i < 12'345; ++i) {
    falls.note(i < 1'000 ? 9 : 3, 1);
    stays.note(i < 11'000 && i > 1'500 ? 3 : 9, 1);  // lower only in between
  }
  EXPECT_EQ(falls.finding(), "");
  // 12,345 updates are kept in 772 parts of 16 updates.
  EXPECT_EQ(stays.finding(),
            "the training loss has not fallen: 12.98 bits per token over the first 1232 updates "
            "and 12.98 over the last 1232");
}

}  // namespace
}  // namespace phraseq
