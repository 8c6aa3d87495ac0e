#include "core/phrase_memory/rules/quantities.h"

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

TEST(Quantities, NeedTheOtherWordsOfAPhrase) {
  EXPECT_TRUE(english_has("a 24-hour day", "24 hours"));
  EXPECT_FALSE(english_has("24 days", "24 hours"));
}

TEST(Quantities, AreEqualInEveryNotationOfATime) {
  EXPECT_TRUE(german_has("um 20.15 Uhr", "20:15 Uhr"));
  EXPECT_TRUE(english_has("at 8:30 p.m.", "8:30"));
  EXPECT_FALSE(english_has("at 8:45 p.m.", "8:30"));
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
