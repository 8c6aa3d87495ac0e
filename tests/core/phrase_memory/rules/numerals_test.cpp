#include "core/phrase_memory/rules/numerals.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

int64_t chinese_number(std::u32string_view text) { return chinese_number_value(text).value_or(-1); }

TEST(DigitsValue, ReadsPlaceByPlace) {
  EXPECT_EQ(digits_value(U"二〇〇三"), 2003);
  EXPECT_EQ(digits_value(U"２００３"), 2003);
  EXPECT_EQ(digits_value(U"零7"), 7);
  EXPECT_EQ(digits_value(U"三十"), std::nullopt);
  EXPECT_EQ(digits_value(U""), std::nullopt);
  EXPECT_EQ(digits_value(U"1234567890123456"), std::nullopt);
}

TEST(ChineseNumber, ReadsUnits) {
  EXPECT_EQ(chinese_number(U"十"), 10);
  EXPECT_EQ(chinese_number(U"十五"), 15);
  EXPECT_EQ(chinese_number(U"三十"), 30);
  EXPECT_EQ(chinese_number(U"三百零五"), 305);
  EXPECT_EQ(chinese_number(U"三百一十五"), 315);
  EXPECT_EQ(chinese_number(U"两千零三"), 2003);
  EXPECT_EQ(chinese_number(U"一千七百万"), 17'000'000);
  EXPECT_EQ(chinese_number(U"一万零五百"), 10'500);
  EXPECT_EQ(chinese_number(U"三亿五千万"), 350'000'000);
  EXPECT_EQ(chinese_number(U"一亿二千三百四十五万六千七百八十九"), 123'456'789);
  EXPECT_EQ(chinese_number(U"1700万"), 17'000'000);
  EXPECT_EQ(chinese_number(U"1.7亿"), 170'000'000);
}

TEST(ChineseNumber, IsNothingElse) {
  for (const auto* text : {U"",
                           U"三",
                           U"二〇〇三",
                           U"三百五",
                           U"一万五",
                           U"千百",
                           U"十百",
                           U"三百三百",
                           U"百",
                           U"万",
                           U"三十人",
                           U"万一",
                           U"一千五",
                           U"三百零",
                           U"1.亿",
                           U"一千十"}) {
    EXPECT_EQ(chinese_number(text), -1) << std::u32string_view(text).size();
  }
}

TEST(EnglishNumber, HasGroupsOrWords) {
  EXPECT_EQ(english_number(30), "30");
  EXPECT_EQ(english_number(1345), "1,345");
  EXPECT_EQ(english_number(123'456), "123,456");
  EXPECT_EQ(english_number(17'000'000), "17 million");
  EXPECT_EQ(english_number(1'700'000), "1.7 million");
  EXPECT_EQ(english_number(1'234'567), "1,234,567");
  EXPECT_EQ(english_number(350'000'000), "350 million");
  EXPECT_EQ(english_number(1'200'000'000), "1.2 billion");
  EXPECT_EQ(english_number(3'000'000'000'000), "3 trillion");
}

TEST(GermanNumber, ExchangesMarks) {
  EXPECT_EQ(german_number("1,345.5"), "1.345,5");
  EXPECT_EQ(german_number("1,345"), "1.345");
  EXPECT_EQ(german_number("12,345,678.90"), "12.345.678,90");
  EXPECT_EQ(german_number("3.5"), "3,5");
}

TEST(GermanNumber, TakesWellFormedNumbersOnly) {
  for (const char* text : {"",
                           "1345",
                           ".",
                           ",",
                           "1,34",
                           "1,3456",
                           "1345,678",
                           "1,345.",
                           ".5",
                           "1.2.3",
                           "1,,345",
                           "a.5",
                           "1.x",
                           ",345",
                           "-1.5"}) {
    EXPECT_EQ(german_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace phraseq
