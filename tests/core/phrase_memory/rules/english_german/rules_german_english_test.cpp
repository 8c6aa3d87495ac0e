#include "core/phrase_memory/rules/english_german/rules_german_english.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/phrase_memory/rules/rule_slots.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> from_german(const char* sentence) {
  return rule_slots(PhraseRules::kGermanEnglish, sentence);
}

TEST(GermanEnglishRules, TranslateDatesAndTimes) {
  for (const char* text : {"am 1. März 2003", "am 1 . März 2003", "am 1. märz 2003"})
    EXPECT_THAT(from_german(text), ElementsAre("March 1 , 2003 (dates)")) << text;
  EXPECT_THAT(from_german("am Freitag , dem 3. Mai"),
              ElementsAre("Friday (dates)", "May 3 (dates)"));
  EXPECT_THAT(from_german("seit Oktober 1999 im Dezember"),
              ElementsAre("October 1999 (dates)", "December (dates)"));
  EXPECT_THAT(from_german("um 8.30 Uhr"), ElementsAre("8:30 (dates)"));
  for (const char* text :
       {"am 30. Februar", "um 15.30 Uhr", "3. - 5. Mai", "in der Nacht zu Sonntag"})
    EXPECT_THAT(from_german(text), IsEmpty()) << text;
}

TEST(GermanEnglishRules, TranslateNumbersAndUnits) {
  EXPECT_THAT(from_german("1.345,5 und 12.500 sowie 3,5 Prozent"),
              ElementsAre("1,345.5 (numbers)", "12,500 (numbers)", "3.5 (numbers)"));
  EXPECT_THAT(from_german("17 Millionen und 2,5 Mrd. oder 1,5 Mio. ; 3 Mrd."),
              ElementsAre("17 million (numbers)",
                          "2.5 billion (numbers)",
                          "1.5 million (numbers)",
                          "3 billion (numbers)"));
  EXPECT_THAT(from_german("nach 24 Stunden"), ElementsAre("24 hours (numbers)"));
  for (const char* text :
       {"LibreOffice 7.4", "10 bis 15 Stunden", "18 969 Tage", "5,000", "1 Tage", "3. bis 5. Mai"})
    EXPECT_THAT(from_german(text), IsEmpty()) << text;
}

TEST(GermanEnglishRules, LeaveListsAddressesAndVersions) {
  for (const char* text : {"im Bereich [ 0,1 ]",
                           "Alle { 1,2 }",
                           "Punkt ( 0,0 ) ist",
                           "ioperm ( arg , 1,1 )",
                           "druckt 1,3 ; 7 die Seiten",
                           "- x 9,17 wird",
                           "192.168.100.100 ist",
                           "eine 168.192 . in - addr",
                           "Version 2.100 vom",
                           "3.14159 und 123.675 als",
                           "1,2 Billionen Dollar",
                           "eine 1 Billion Euro"}) {
    EXPECT_THAT(from_german(text), IsEmpty()) << text;
  }
  EXPECT_THAT(from_german("( 3,5 % ) ; 1.234.567.890 Euro"),
              ElementsAre("3.5 (numbers)", "1,234,567,890 (numbers)"));
}

}  // namespace
}  // namespace phraseq
