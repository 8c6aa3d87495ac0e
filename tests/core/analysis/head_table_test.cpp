#include "core/analysis/head_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/support/xml.h"

namespace phraseq::analysis {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

HeadsOfModule module(const std::string& attention, std::vector<std::set<int64_t>> ngrams) {
  return {attention, 1, "m", std::move(ngrams)};
}

HeadTable example_table() {
  HeadTable table(2.0);
  table.add(module("encoder", {{1}, {2}}), {2.25, 1.9375});
  table.add(module("cross", {{1}, {2}, {2}}), {3.0, 2.125, 2.375});
  return table;
}

TEST(HeadTable, ShowsIncreasesAndTheirMeansByNgrams) {
  EXPECT_EQ(example_table().text(),
            "Loss with all heads: 2.0000 bits per token\n"
            "Increase of the loss without one head, in bits per token\n"
            "attention      layer   head 1   head 2   head 3\n"
            "encoder            1  +0.2500  -0.0625\n"
            "cross              1  +1.0000  +0.1250  +0.3750\n"
            "\n"
            "attention        n-grams  heads     mean\n"
            "encoder                1      1  +0.2500\n"
            "encoder                2      1  -0.0625\n"
            "cross                  1      1  +1.0000\n"
            "cross                  2      2  +0.2500\n");
}

TEST(HeadTable, HasNoMeansForHeadsOfSingleTokens) {
  HeadTable table(1.0);
  table.add(module("cross", {{1}, {1}}), {1.5, 1.5});
  EXPECT_THAT(table.text(), Not(HasSubstr("mean")));
}

TEST(HeadTable, ShowsZeroWithoutAMinus) {
  HeadTable table(1.0);
  table.add(module("cross", {{2}}), {1.0 - 1e-9});
  EXPECT_THAT(table.text(), AllOf(HasSubstr("1  +0.0000\n"), Not(HasSubstr("-0.0000"))));
}

TEST(HeadTable, HoldsEveryLossInJson) {
  const auto report = nlohmann::json::parse(example_table().json());
  EXPECT_EQ(report["loss"], 2.0);
  ASSERT_EQ(report["heads"].size(), 5u);
  const nlohmann::json expected = {{"attention", "cross"},
                                   {"layer", 1},
                                   {"head", 2},
                                   {"ngrams", {2}},
                                   {"loss", 2.125},
                                   {"increase", 0.125}};
  EXPECT_EQ(report["heads"][3], expected);
}

TEST(HeadTable, IsDrawnAsBars) {
  const std::string svg = example_table().plot().document();
  EXPECT_EQ(testing_support::XmlCheck(svg).fault(), "");
  EXPECT_THAT(svg, AllOf(HasSubstr(">cross 1<"), HasSubstr(">head 3<")));
}

TEST(HeadName, IsReadAndWritten) {
  const HeadName name = parse_head_name("encoder-phrases.12.3");
  EXPECT_EQ(name.attention, "encoder-phrases");
  EXPECT_EQ(name.layer, 12);
  EXPECT_EQ(name.head, 3);
  EXPECT_EQ(name.text(), "encoder-phrases.12.3");
  for (const char* bad :
       {"", "cross", "cross.1", "cross.0.1", "cross.1.0", "cross.a.1", "cross.1.2.3"})
    EXPECT_THROW(parse_head_name(bad), UsageError) << bad;
}

TEST(HeadName, IsLookedUpAmongThoseOfTheModel) {
  const std::vector<HeadsOfModule> modules = {module("encoder", {{1}, {1}}),
                                              module("cross", {{1}, {1}, {2}})};
  EXPECT_EQ(&module_of(modules, {"cross", 1, 3}, "best"), &modules[1]);
  for (const HeadName& missing : {HeadName{"cross", 1, 4}, {"cross", 2, 1}, {"decoder", 1, 1}}) {
    try {
      module_of(modules, missing, "best");
      FAIL() << missing.text();
    } catch (const UsageError& error) {
      EXPECT_EQ(error.message(), "best has no attention head " + missing.text());
      EXPECT_THAT(error.hint(), HasSubstr("encoder.1.1 to 2, cross.1.1 to 3"));
    }
  }
}

}  // namespace
}  // namespace phraseq::analysis
