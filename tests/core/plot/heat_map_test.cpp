#include "core/plot/heat_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/xml.h"

namespace phraseq::plot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing_support::XmlCheck;

HeatMap example_map() {
  HeatMap map;
  map.title = "cross-attention";
  map.rows = {"target", {"das", "</s>"}, {}};
  map.columns = {"source", {"the", "cat", "the cat"}, {{"t", 2}, {"p", 1}}};
  map.values = {0.25, 0.5, 0.25, 0, 1, 0};
  return map;
}

TEST(HeatMap, ShadesEachCellByItsValue) {
  const std::string svg = heat_map(example_map()).document();
  EXPECT_EQ(XmlCheck(svg).fault(), "");
  EXPECT_THAT(svg,
              HasSubstr("fill=\"#6baed6\" stroke=\"#eeeeee\" stroke-width=\"0.5\"><title>das "
                        "– cat: 0.5000</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>&lt;/s&gt; – cat: 1.0000</title>"));
  EXPECT_THAT(svg, HasSubstr("fill=\"#08306b\""));
  EXPECT_THAT(svg, HasSubstr(">the cat</text>"));
}

TEST(HeatMap, DrawsALineBetweenGroups) {
  HeatMap map = example_map();
  const std::string border = "stroke=\"#d55e00\"";
  EXPECT_THAT(heat_map(map).document(), HasSubstr(border));
  map.columns.groups = {{"t", 3}};
  EXPECT_THAT(heat_map(map).document(), Not(HasSubstr(border)));
}

TEST(HeatMap, RejectsWhatDoesNotFit) {
  HeatMap map = example_map();
  map.values.pop_back();
  EXPECT_THROW(heat_map(map), UsageError);
  map = example_map();
  map.columns.groups[0].size = 1;
  EXPECT_THROW(heat_map(map), UsageError);
}

}  // namespace
}  // namespace phraseq::plot
