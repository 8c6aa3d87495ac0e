#include "core/phrase_memory/rules/chinese/chinese_numerals.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

int64_t chinese_value(std::u32string_view text) { return chinese_number_value(text).value_or(-1); }

TEST(DigitsValue, ReadsPlaceByPlace) {
  EXPECT_EQ(digits_value(U"二〇〇三"), 2003);
  EXPECT_EQ(digits_value(U"二○○三"), 2003);
  EXPECT_EQ(digits_value(U"２００３"), 2003);
  EXPECT_EQ(digits_value(U"零7"), 7);
  EXPECT_EQ(digits_value(U"三十"), std::nullopt);
  EXPECT_EQ(digits_value(U""), std::nullopt);
  EXPECT_EQ(digits_value(U"1234567890123456"), std::nullopt);
}

TEST(ChineseNumber, ReadsUnits) {
  EXPECT_EQ(chinese_value(U"十"), 10);
  EXPECT_EQ(chinese_value(U"十五"), 15);
  EXPECT_EQ(chinese_value(U"三十"), 30);
  EXPECT_EQ(chinese_value(U"三百零五"), 305);
  EXPECT_EQ(chinese_value(U"三百一十五"), 315);
  EXPECT_EQ(chinese_value(U"三百五十"), 350);
  EXPECT_EQ(chinese_value(U"两千零三"), 2003);
  EXPECT_EQ(chinese_value(U"九千九百九十九"), 9999);
  EXPECT_EQ(chinese_value(U"一千七百万"), 17'000'000);
  EXPECT_EQ(chinese_value(U"一万零五百"), 10'500);
  EXPECT_EQ(chinese_value(U"一万零五"), 10'005);
  EXPECT_EQ(chinese_value(U"十万八千"), 108'000);
  EXPECT_EQ(chinese_value(U"三亿五千万"), 350'000'000);
  EXPECT_EQ(chinese_value(U"一亿零三百万"), 103'000'000);
  EXPECT_EQ(chinese_value(U"一亿二千三百四十五万六千七百八十九"), 123'456'789);
}

TEST(ChineseNumber, ReadsTenThousandsOfHundredMillions) {
  EXPECT_EQ(chinese_value(U"一万亿"), 1'000'000'000'000);
  EXPECT_EQ(chinese_value(U"一万二千亿"), 1'200'000'000'000);
  EXPECT_EQ(chinese_value(U"1.77万亿"), 1'770'000'000'000);
  EXPECT_EQ(chinese_value(U"3万5千亿"), 3'500'000'000'000);
}

TEST(ChineseNumber, ReadsArabicFactorsAndDecimals) {
  EXPECT_EQ(chinese_value(U"1700万"), 17'000'000);
  EXPECT_EQ(chinese_value(U"1.7亿"), 170'000'000);
  EXPECT_EQ(chinese_value(U"12.5亿"), 1'250'000'000);
  EXPECT_EQ(chinese_value(U"0.71万"), 7'100);
  EXPECT_EQ(chinese_value(U"3万5千"), 35'000);
  EXPECT_EQ(chinese_value(U"2万4801"), 24'801);
  EXPECT_EQ(chinese_value(U"1亿2000万"), 120'000'000);
  EXPECT_EQ(chinese_value(U"5千万"), 50'000'000);
  EXPECT_EQ(chinese_value(U"3.5千"), 3'500);
  EXPECT_EQ(chinese_value(U"三点五亿"), 350'000'000);
  EXPECT_EQ(chinese_value(U"十二点五万"), 125'000);
}

TEST(ChineseNumber, IsNothingElse) {
  const std::u32string_view texts[] = {
      U"",         U"三",       U"二〇〇三", U"三百五",    U"一万五",    U"千百",   U"十百",
      U"三百三百", U"百",       U"万",       U"亿",        U"三十人",    U"万一",   U"一千五",
      U"三百零",   U"1.亿",     U"一千十",   U"一亿五千",  U"一亿五",    U"三四百", U"七八十",
      U"1.5万3千", U"2万48",    U"1万2",     U"万亿",      U"一亿亿",    U"两十",   U"三十两",
      U"20千",     U"一二三万", U"0万",      U"1.23456万", U"1234567万", U"十七八"};
  for (const auto text : texts) {
    EXPECT_EQ(chinese_value(text), -1) << testing::PrintToString(std::u32string(text));
  }
}

TEST(ChineseNumber, ReadsEveryNumberThatItsSpellingMakes) {
  // 零 marks omitted places. The numbers are spelled here independently of the reader.
  const std::u32string_view digits = U"零一二三四五六七八九";
  for (int64_t value = 10; value < 10'000; ++value) {
    std::u32string text;
    bool has_gap = false;
    int64_t unit = 1000;
    for (const char32_t mark : {U'千', U'百', U'十', U'\0'}) {
      const int64_t digit = value / unit % 10;
      unit /= 10;
      if (digit == 0) {
        has_gap = !text.empty();
        continue;
      }
      if (has_gap)
        text += U'零';
      has_gap = false;
      text += digits[static_cast<size_t>(digit)];
      if (mark != U'\0')
        text += mark;
    }
    ASSERT_EQ(chinese_value(text), value);
    ASSERT_EQ(chinese_value(text + U"万"), value * 10'000);
    ASSERT_EQ(chinese_value(text + U"亿"), value * 100'000'000);
  }
}

TEST(ChineseDecimal, HasAPointInCharacters) {
  EXPECT_EQ(chinese_decimal(U"三点一四"), "3.14");
  EXPECT_EQ(chinese_decimal(U"三十点零五"), "30.05");
  EXPECT_EQ(chinese_decimal(U"三点"), std::nullopt);
  EXPECT_EQ(chinese_decimal(U"三点十"), std::nullopt);
  EXPECT_EQ(chinese_decimal(U"3.14"), std::nullopt);
}

}  // namespace
}  // namespace phraseq
