#include "core/plot/panel_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/count_of.h"
#include "tests/support/xml.h"

namespace phraseq::plot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing_support::XmlCheck;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Panel panel_of(std::vector<CurvePoint> points, bool marks = false) {
  CurveStyle style;
  style.marks = marks;
  return {"Loss", {{"run", std::move(points), style}}, false};
}

std::string drawn(const Panel& panel) {
  PanelChart chart;
  chart.title = "Curves";
  chart.x_title = "Updates";
  chart.whole_x = true;
  chart.panels = {panel};
  const std::string svg = panel_chart(chart).document();
  EXPECT_EQ(XmlCheck(svg).fault(), "");
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  return svg;
}

TEST(PanelChart, DrawsALineWithRoundTicksAndThousandsSeparators) {
  const std::string svg = drawn(panel_of({{1000, 4}, {2500, 3}, {12000, 2.5}}));
  EXPECT_EQ(count_of(svg, "<polyline"), 1u);
  for (const char* text :
       {">Curves<", ">Updates<", ">Loss<", ">0<", ">2,000<", ">12,000<", ">4.0<"})
    EXPECT_THAT(svg, HasSubstr(text));
}

TEST(PanelChart, BreaksTheLineWhereAValueIsNotFiniteAndMarksALonePoint) {
  const std::string svg =
      drawn(panel_of({{1, 4}, {2, 3}, {3, kNan}, {4, 2}, {5, kNan}, {6, 3}, {7, 1}}));
  EXPECT_EQ(count_of(svg, "<polyline"), 2u);
  EXPECT_EQ(count_of(svg, "<circle"), 1u);
  EXPECT_THAT(svg, HasSubstr("<title>run, 4: 2</title>"));
}

TEST(PanelChart, MarksPointsOnlyWhereThereIsSpaceForMarks) {
  const auto marks = [](int count) {
    std::vector<CurvePoint> points;
    for (int x = 1; x <= count; ++x) points.push_back({static_cast<double>(x), 1.0 / x});
    return count_of(drawn(panel_of(points, /*marks=*/true)), "<circle");
  };
  EXPECT_EQ(marks(50), 50u);
  EXPECT_EQ(marks(100), 0u);
}

TEST(PanelChart, ShowsOnePoint) {
  EXPECT_EQ(count_of(drawn(panel_of({{300, 0.125}})), "<circle"), 1u);
  EXPECT_EQ(count_of(drawn(panel_of({{0, 0}})), "<circle"), 1u);
}

TEST(PanelChart, IsDrawnWithoutAnyPoint) {
  drawn(panel_of({}));
  drawn(panel_of({{1, kNan}, {2, kNan}}));
  PanelChart empty;
  EXPECT_EQ(XmlCheck(panel_chart(empty).document()).fault(), "");
}

TEST(PanelChart, DividesVerySmallAndVeryLargeValuesByAPowerOfTen) {
  EXPECT_THAT(drawn(panel_of({{1, 0.0001}, {2, 0.0005}})),
              AllOf(HasSubstr(">Loss (×10⁻⁴)<"), HasSubstr(">5<")));
  EXPECT_THAT(drawn(panel_of({{1, 0}, {2, 3e12}})), HasSubstr(">Loss (×10¹²)<"));
  EXPECT_THAT(drawn(panel_of({{1, 0}, {2, 30000}})),
              AllOf(HasSubstr(">Loss<"), HasSubstr(">30,000<")));
}

TEST(PanelChart, HasFewTicksForValuesOfAnySize) {
  const auto ticks = [](std::vector<CurvePoint> points) {  // of the value axis
    return count_of(drawn(panel_of(std::move(points))), R"(text-anchor="end")");
  };
  EXPECT_EQ(ticks({{1, 1e17}, {2, 1e17}}), 5u);         // 0.9e17, 0.95e17 … 1.1e17
  EXPECT_EQ(ticks({{1, -1.7e308}, {2, 1.7e308}}), 5u);  // -2e308, -1e308 … 2e308
  EXPECT_EQ(ticks({{1, 5e-324}, {2, 0}}), 6u);          // 0, 1e-324 … 5e-324
  EXPECT_EQ(ticks({{1e15, 1}, {1e15 + 1, 2}}), 6u);     // 1.0, 1.2 … 2.0
}

TEST(PanelChart, DrawsPointsThatAreOnlyAtOneLargePlace) {
  for (const double place : {9.2e18, 1e308})
    EXPECT_EQ(count_of(drawn(panel_of({{place, 4}, {place, 3}})), "<polyline"), 1u);
}

TEST(PanelChart, ShortensLongNamesAndBreaksLongNotes) {
  PanelChart chart;
  chart.title = "Curves";
  chart.legend = {{std::string(500, 'x') + "END", {}}, {"a <b> & \"c\"", {}}};
  chart.notes = {std::string(300, 'n'), "one two " + std::string(200, 'm') + " three"};
  chart.panels = {panel_of({{1, 1}, {2, 2}})};
  const std::string svg = panel_chart(chart).document();
  EXPECT_EQ(XmlCheck(svg).fault(), "");
  EXPECT_THAT(
      svg,
      AllOf(HasSubstr("xxx…x"), HasSubstr("xEND</text>"), Not(HasSubstr(std::string(200, 'x')))));
  EXPECT_THAT(svg, HasSubstr(">a &lt;b&gt; &amp; &quot;c&quot;</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(std::string(190, 'n'))));
}

TEST(PanelChart, DistinguishesMoreThanEightRunsByDashes) {
  Panel panel{"Loss", {}, false};
  for (size_t run = 0; run < 17; ++run) {
    CurveStyle style;
    style.color = run;
    panel.curves.push_back({"run", {{1, 1}, {2, static_cast<double>(run)}}, style});
  }
  const std::string svg = drawn(panel);
  EXPECT_EQ(count_of(svg, "stroke-dasharray=\"7 3\""), 8u);
  EXPECT_EQ(count_of(svg, "stroke-dasharray=\"2 3\""), 1u);
}

TEST(ThinOut, KeepsPeaksAndEndsOfAMillionPoints) {
  std::vector<CurvePoint> points;
  for (int i = 0; i <= 1'000'000; ++i)
    points.push_back({static_cast<double>(i), i == 777'777 ? 1000.0 : std::sin(i / 5000.0)});
  const auto kept = thin_out(points, 0, 1e6, 500);
  EXPECT_LE(kept.size(), 4u * 501);
  EXPECT_EQ(kept.front().x, 0);
  EXPECT_EQ(kept.back().x, 1e6);
  double highest = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    highest = std::max(highest, kept[i].y);
    EXPECT_TRUE(i == 0 || kept[i - 1].x < kept[i].x);
  }
  EXPECT_EQ(highest, 1000);
}

TEST(ThinOut, KeepsGapsAndShortCurves) {
  const std::vector<CurvePoint> few = {{1, 1}, {2, kNan}, {3, 2}};
  EXPECT_EQ(thin_out(few, 0, 3, 10).size(), 3u);
  std::vector<CurvePoint> many;
  for (int i = 0; i < 1000; ++i) many.push_back({i * 1.0, i >= 500 && i < 600 ? kNan : 1.0});
  const auto kept = thin_out(many, 0, 999, 10);
  size_t gaps = 0;
  for (const auto& point : kept) gaps += std::isnan(point.y) ? 1 : 0;
  EXPECT_EQ(gaps, 1u);
}

}  // namespace
}  // namespace phraseq::plot
