#include "core/phrase_memory/rules/numerals.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

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
  EXPECT_EQ(english_number(1'250'000'000), "1.25 billion");
  EXPECT_EQ(english_number(1'770'000'000'000), "1.77 trillion");
  EXPECT_EQ(english_number(15'500'000), "15.5 million");
  EXPECT_EQ(english_number(1'234'000'000), "1.234 billion");
  EXPECT_EQ(english_number(999'999), "999,999");
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
                           "-1.5",
                           "0,345"}) {
    EXPECT_EQ(german_number(text), std::nullopt) << text;
  }
}

TEST(EnglishFromGermanNumber, ExchangesMarks) {
  EXPECT_EQ(english_from_german_number("1.345,5"), "1,345.5");
  EXPECT_EQ(english_from_german_number("12.345.678"), "12,345,678");
  EXPECT_EQ(english_from_german_number("3,5"), "3.5");
  for (const char* text : {"7.4", "1345", "1.34,5", "1,2,3", "192.168.1.1", ""})
    EXPECT_EQ(english_from_german_number(text), std::nullopt) << text;
}

}  // namespace
}  // namespace phraseq
