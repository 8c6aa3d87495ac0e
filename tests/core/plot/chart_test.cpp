#include "core/plot/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plot/bar_chart.h"
#include "core/plot/line_chart.h"
#include "tests/support/count_of.h"
#include "tests/support/xml.h"

namespace phraseq::plot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing_support::XmlCheck;

Chart example_chart() {
  Chart chart;
  chart.title = "Scores <1>";
  chart.category_title = "length";
  chart.value_title = "BLEU";
  chart.categories = {{"0 to 14", "7 sentences"}, {"15 to 29", ""}, {"30 or more", ""}};
  chart.series = {
      {"base", {ChartValue{20, {}, {}, "20.0"}, {}, ChartValue{10, {}, {}, "10.0"}}},
      {"A & B", {ChartValue{30, 28.0, 31.0, "30.0*"}, {}, ChartValue{5, {}, {}, "5.0"}}}};
  return chart;
}

TEST(BarChart, DrawsOneBarPerValueFromZero) {
  const std::string svg = bar_chart(example_chart()).document();
  EXPECT_EQ(XmlCheck(svg).fault(), "");
  // The axis goes from 0 to 35 over 300 pixels.
  EXPECT_THAT(svg, HasSubstr("height=\"171.43\" fill=\"#0072b2\"><title>base, 0 to 14: 20.0"));
  EXPECT_EQ(count_of(svg, "<title>base, "), 2u);
  EXPECT_EQ(count_of(svg, "<title>A &amp; B, "), 2u);
  for (const char* text : {">Scores &lt;1&gt;<", ">7 sentences<", ">length<", ">BLEU<", ">30.0*<"})
    EXPECT_THAT(svg, HasSubstr(text));
}

TEST(LineChart, BreaksALineWhereAValueIsMissing) {
  Chart chart = example_chart();
  EXPECT_EQ(count_of(line_chart(chart).document(), "<polyline"), 0u);
  chart.categories.push_back({"last", ""});
  chart.series[0].values.push_back(ChartValue{12, {}, {}, "12.0"});
  const std::string svg = line_chart(chart).document();
  EXPECT_EQ(XmlCheck(svg).fault(), "");
  EXPECT_EQ(count_of(svg, "<polyline"), 1u);
  EXPECT_EQ(count_of(svg, "<circle"), 5u);
}

TEST(Chart, HasALegendForSeveralSeriesOnly) {
  Chart chart = example_chart();
  EXPECT_THAT(bar_chart(chart).document(), HasSubstr(">base</text>"));
  chart.series.pop_back();
  EXPECT_THAT(bar_chart(chart).document(), Not(HasSubstr(">base</text>")));
}

TEST(Chart, IsDrawnWithoutValuesToo) {
  Chart chart;
  EXPECT_EQ(XmlCheck(bar_chart(chart).document()).fault(), "");
  EXPECT_EQ(XmlCheck(line_chart(chart).document()).fault(), "");
}

}  // namespace
}  // namespace phraseq::plot
