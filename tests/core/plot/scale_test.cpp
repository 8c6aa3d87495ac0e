#include "core/plot/scale.h"

#include <cmath>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plot/colors.h"

namespace phraseq::plot {
namespace {

using ::testing::ElementsAre;
using ::testing::Pointwise;

TEST(Scale, HasRoundTicksAroundTheValues) {
  EXPECT_THAT(Scale(0, 28.7, 6).ticks(), ElementsAre(0, 5, 10, 15, 20, 25, 30));
  EXPECT_THAT(Scale(14, 27.7, 6).ticks(), ElementsAre(10, 15, 20, 25, 30));
  EXPECT_THAT(Scale(-3, 7, 5).ticks(), ElementsAre(-4, -2, 0, 2, 4, 6, 8));
  const std::vector<double> expected = {0.1, 0.2, 0.3, 0.4};
  EXPECT_THAT(Scale(0.11, 0.4, 4).ticks(), Pointwise(::testing::DoubleEq(), expected));
}

TEST(Scale, LabelsTicksAsExactlyAsTheyLie) {
  const Scale tens(0, 100, 5), tenths(-0.2, 1, 6);
  EXPECT_EQ(tens.label(40), "40");
  EXPECT_EQ(tenths.label(0.2), "0.2");
  EXPECT_EQ(tens.label(-0.0), "0");
  EXPECT_EQ(Scale(0, 0.05, 5).label(0.03), "0.03");
}

TEST(Scale, WidensWhatHasNoWidth) {
  EXPECT_THAT(Scale(3, 3, 2).ticks(), ElementsAre(3, 3.5, 4));
  EXPECT_DOUBLE_EQ(Scale(0, 10, 5).share(2.5), 0.25);
}

TEST(Scale, PutsCommasBetweenThousands) {
  EXPECT_EQ(Scale(0, 30000, 3).label(20000), "20,000");
  EXPECT_EQ(Scale(-2e6, 0, 2).label(-1e6), "-1,000,000");
  EXPECT_EQ(Scale(1000, 1001, 5).label(1000.2), "1,000.2");
  EXPECT_EQ(Scale(0, 1000, 2).label(500), "500");
}

TEST(Scale, HasFewTicksForNumbersOfAnySize) {
  for (const double size : {1e-300, 1e9, 1e17, 1e300, 1.7e308}) {
    for (const auto& [lowest, highest] :
         {std::pair(size, size), std::pair(-size, size), std::pair(0.0, size)}) {
      const Scale scale(lowest, highest, 5);
      EXPECT_LE(scale.ticks().size(), 15u) << lowest << " to " << highest;
      EXPECT_LT(scale.first(), scale.last()) << lowest << " to " << highest;
    }
  }
}

TEST(Shade, GetsDarkerWithTheValue) {
  EXPECT_EQ(shade(0), "#ffffff");
  EXPECT_EQ(shade(1), "#08306b");
  EXPECT_EQ(shade(0.5), "#6baed6");
  EXPECT_EQ(shade(0.0625), "#eff5fb");  // halfway to #deebf7
  EXPECT_EQ(shade(-1), shade(0));
  EXPECT_EQ(shade(7), shade(1));
  EXPECT_EQ(shade(std::nan("")), shade(0));
}

TEST(SeriesColor, DiffersForEightSeries) {
  for (size_t i = 0; i < 8; ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(series_color(i), series_color(j));
  }
  EXPECT_EQ(series_color(8), series_color(0));
}

}  // namespace
}  // namespace phraseq::plot
