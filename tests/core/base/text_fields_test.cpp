#include "core/base/text_fields.h"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

using Parts = std::vector<std::string_view>;

TEST(SplitText, KeepsEmptyParts) {
  EXPECT_EQ(split_text(":a::b:", ":"), (Parts{"", "a", "", "b", ""}));
  EXPECT_EQ(split_text("", ":"), Parts{""});
  EXPECT_EQ(split_text("a ||| b", " ||| "), (Parts{"a", "b"}));
}

TEST(FilledParts, LeavesOutEmptyParts) {
  EXPECT_EQ(filled_parts(":a::b:", ":"), (Parts{"a", "b"}));
  EXPECT_EQ(filled_parts("", ":"), Parts{});
}

TEST(NumberIn, TakesTheWholeTextOnly) {
  EXPECT_EQ(number_in<int64_t>("-17"), -17);
  EXPECT_EQ(number_in<double>("2.5e-1"), 0.25);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x10", "1,5"}) {
    EXPECT_FALSE(number_in<int64_t>(text)) << text;
    EXPECT_FALSE(number_in<double>(text)) << text;
  }
}

TEST(NumberIn, FindsNothingThatDoesNotFit) {
  EXPECT_EQ(number_in<int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_FALSE(number_in<int64_t>("9223372036854775808"));
  EXPECT_FALSE(number_in<uint64_t>("-1"));
  EXPECT_FALSE(number_in<double>("1e400"));
}

TEST(NumberIn, IsFiniteWhereItIsAskedFor) {
  EXPECT_TRUE(std::isnan(number_in<double>("nan").value_or(0)));
  for (const char* text : {"nan", "inf", "-inf", "infinity"})
    EXPECT_FALSE(finite_number_in(text)) << text;
  EXPECT_EQ(finite_number_in("-1.5"), -1.5);
}

TEST(AsciiLowercase, ChangesTheLettersFromAToZOnly) {
  EXPECT_EQ(to_ascii_lowercase("AZ[Ä"), "az[Ä");
  EXPECT_EQ(to_ascii_lowercase("az@{"), "az@{");
}

}  // namespace
}  // namespace phraseq
