#include "core/phrase_memory/rules/quantities/quantities.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

bool english_has(const char* text, const char* phrase) {
  return has_quantities(quantities_in(text, QuantityLanguage::kEnglish),
                        quantities_in(phrase, QuantityLanguage::kEnglish));
}
bool german_has(const char* text, const char* phrase) {
  return has_quantities(quantities_in(text, QuantityLanguage::kGerman),
                        quantities_in(phrase, QuantityLanguage::kGerman));
}

TEST(Quantities, AreEqualInEveryNotationOfADate) {
  for (const char* text : {"on March 1, 2003.",
                           "on 1 March 2003",
                           "on March 1st, 2003",
                           "the 1st of March, 2003",
                           "Mar. 1, 2003",
                           "2003-03-01",
                           "bought on 01/03/2003",
                           "on March the first , 2003"}) {
    EXPECT_TRUE(english_has(text, "March 1 , 2003")) << text;
    EXPECT_FALSE(english_has(text, "March 2 , 2003")) << text;
    EXPECT_FALSE(english_has(text, "April 1 , 2003")) << text;
  }
  EXPECT_TRUE(german_has("am 1.3.2003", "1. März 2003"));
  EXPECT_TRUE(german_has("seit Mai 1999", "Mai"));
  EXPECT_FALSE(english_has("it may be", "May"));
}

TEST(Quantities, AreEqualInEveryNotationOfANumber) {
  EXPECT_TRUE(english_has("17,000,000 people", "17 million"));
  EXPECT_TRUE(english_has("$1.5bn", "1.5 billion"));
  EXPECT_TRUE(english_has("twenty-five years", "25"));
  EXPECT_TRUE(english_has("three hundred and five", "305"));
  EXPECT_TRUE(english_has("a hundred days", "100"));
  EXPECT_TRUE(english_has("1000 yuan", "1,000"));
  EXPECT_TRUE(english_has("176 000 customers", "176,000"));
  EXPECT_TRUE(english_has("10 ,000 dollars", "10,000"));
  EXPECT_TRUE(english_has("the nineteenth century", "19th century"));
  EXPECT_TRUE(german_has("17 Mio. Menschen", "17 Millionen"));
  EXPECT_TRUE(german_has("1.345,50 Euro", "1.345,5"));
  EXPECT_FALSE(english_has("17 billion", "17 million"));
  EXPECT_FALSE(english_has("twenty", "25"));
  EXPECT_FALSE(german_has("1,345", "1.345"));
  EXPECT_FALSE(german_has("LibreOffice 7.4", "7,4"));  // a version
}

TEST(Quantities, ShareTheYearOfMonthsThatAreJoined) {
  EXPECT_TRUE(english_has("In June to August 2010 it", "June 2010"));
  EXPECT_TRUE(english_has("(January-February 1794)", "January 1794"));
  EXPECT_FALSE(english_has("In June 2009 and August 2010", "June 2010"));
  EXPECT_FALSE(english_has("in June we saw August 2010", "June 2010"));
  EXPECT_TRUE(english_has("with January, 1st (default)", "January 1"));
  EXPECT_TRUE(english_has("between December 30,1899 and", "December 30 , 1899"));
  EXPECT_TRUE(german_has("wurde am 26.12. versendet", "26. Dezember"));
  EXPECT_FALSE(german_has("wurde am 26.12. versendet", "12. Dezember"));
}

TEST(Quantities, AreEqualInEveryNotationOfACentury) {
  for (const char* text : {"in the 1800s",
                           "in the early 1800's",
                           "late 19th c. silver",
                           "the late 19th cent.",
                           "the 18th and 19th centuries",
                           "the nineteenth century"}) {
    EXPECT_TRUE(english_has(text, "19th century")) << text;
    EXPECT_FALSE(english_has(text, "20th century")) << text;
  }
  EXPECT_TRUE(english_has("the twenty-first century", "21st century"));
  EXPECT_FALSE(english_has("19 years of this century", "19th century"));
}

TEST(Quantities, ReadNumbersThatAreWrittenOut) {
  EXPECT_TRUE(english_has("a thousand and one nights", "1,001"));
  EXPECT_TRUE(english_has("3 thousand million euros", "3 billion"));
  EXPECT_TRUE(english_has("twenties and fifties", "50"));
  EXPECT_TRUE(german_has("3 000 000 000 Pesos", "3 Milliarden"));
  EXPECT_FALSE(english_has("3 thousand", "3 billion"));
}

TEST(Quantities, TakeTheOtherDecimalMarkOfMeasuresOnly) {
  EXPECT_TRUE(german_has("mindestens 0.1 Hz", "0,1"));
  EXPECT_TRUE(german_has("mit 12.5% rendern", "12,5"));
  EXPECT_TRUE(english_has("issued 1,5 million cards", "1.5 million"));
  EXPECT_TRUE(english_has("lost 1,4%", "1.4"));
  EXPECT_FALSE(german_has("Version 0.1 ist", "0,1"));
  EXPECT_FALSE(german_has("%{GCC 12.1%}", "12,1"));
  EXPECT_FALSE(english_has("out of range [0,1]", "0.1"));
  EXPECT_FALSE(english_has("3.064 points lower than 3,065", "3,064"));
}

TEST(Quantities, KnowShortUnits) {
  EXPECT_TRUE(english_has("gusts of 85mph", "85 miles"));
  EXPECT_TRUE(english_has("like 3 hrs", "3 hours"));
  EXPECT_TRUE(english_has("set it to 2s", "2 seconds"));
  EXPECT_TRUE(english_has("the 8 second clock", "8 seconds"));
  EXPECT_TRUE(english_has("over 1000°C", "1,000 degrees"));
  EXPECT_FALSE(english_has("gusts of 85mph", "85 hours"));
}

TEST(Quantities, DoNotMistakeADecadeForSeconds) {
  EXPECT_TRUE(english_has("a 1930 's plan", "1930s"));
  EXPECT_TRUE(english_has("music of the 1930s", "1930s"));
  EXPECT_FALSE(english_has("1930 seconds", "1930s"));
}

TEST(Quantities, NeedTheOtherWordsOfAPhrase) {
  EXPECT_TRUE(english_has("a 24-hour day", "24 hours"));
  EXPECT_FALSE(english_has("24 days", "24 hours"));
}

TEST(Quantities, AreEqualInEveryNotationOfATime) {
  EXPECT_TRUE(german_has("um 20.15 Uhr", "20:15 Uhr"));
  EXPECT_TRUE(english_has("at 8:30 p.m.", "8:30"));
  EXPECT_FALSE(english_has("at 8:45 p.m.", "8:30"));
  EXPECT_TRUE(english_has("at a quarter past eleven", "11:15"));
  EXPECT_TRUE(english_has("half past eight", "8:30"));
  EXPECT_TRUE(english_has("a quarter to nine", "8:45"));
  EXPECT_TRUE(english_has("showing one forty-five", "1:45"));
  EXPECT_TRUE(english_has("at around 01: 20 .", "1:20"));
  EXPECT_TRUE(german_has("morgen um 15h", "15 Uhr"));
  EXPECT_FALSE(english_has("a quarter past eleven", "11:45"));
}

TEST(Quantities, ReadSlashedDatesInBothOrders) {
  const auto dates = quantities_in("1/2/2003", QuantityLanguage::kEnglish).dates;
  ASSERT_EQ(dates.size(), 2u);
  EXPECT_EQ(dates[0].month, 2);
  EXPECT_FALSE(dates[0].is_other_reading);
  EXPECT_TRUE(dates[1].is_other_reading);
  EXPECT_EQ(quantities_in("1.2.2003", QuantityLanguage::kGerman).dates.size(), 1u);
  EXPECT_EQ(quantities_in("12/31/2003", QuantityLanguage::kEnglish).dates.size(), 1u);
}

}  // namespace
}  // namespace phraseq
