#include "core/phrase_memory/rules/english_german/rules_english_german.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/phrase_memory/rules/rule_slots.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> from_english(const char* sentence) {
  return rule_slots(PhraseRules::kEnglishGerman, sentence);
}

TEST(EnglishGermanRules, TranslateDatesInAllTheirForms) {
  for (const char* text : {"on March 1 , 2003",
                           "on March 1, 2003",
                           "on march 1st , 2003",
                           "on 1 March 2003",
                           "the 1st of March , 2003",
                           "March the 1st , 2003"}) {
    EXPECT_THAT(from_english(text), ElementsAre("1. März 2003 (dates)")) << text;
  }
  EXPECT_THAT(from_english("the 3rd of March"), ElementsAre("3. März (dates)"));
  EXPECT_THAT(from_english("the 21st of october"), ElementsAre("21. Oktober (dates)"));
  EXPECT_THAT(from_english("Sept. 11 was"), ElementsAre("11. September (dates)"));
  EXPECT_THAT(from_english("on April 31"), IsEmpty());
}

TEST(EnglishGermanRules, TellMonthsFromOtherWords) {
  for (const char* text : {"there may 5 people come",
                           "may 5 people come",
                           "in this room may 5 people sit",
                           "by may 5 people come",
                           "at least 5 may come",
                           "they march 3 miles",
                           "You May Go",
                           "Theresa May said",
                           "March on",
                           "March 3 - 5",
                           "May 3 and 4 are free",
                           "April Smith"}) {
    EXPECT_THAT(from_english(text), IsEmpty()) << text;
  }
  EXPECT_THAT(from_english("by May 5 ."), ElementsAre("5. Mai (dates)"));
  EXPECT_THAT(from_english("it was built in May ."), ElementsAre("Mai (dates)"));
  EXPECT_THAT(from_english("between March and May"), ElementsAre("Mai (dates)"));
  EXPECT_THAT(from_english("since January it"), ElementsAre("Januar (dates)"));
}

TEST(EnglishGermanRules, DoNotMistakeACalendarWordForAName) {
  EXPECT_THAT(from_english("it was Friday May 3 ."),
              ElementsAre("Freitag (dates)", "3. Mai (dates)"));
  EXPECT_THAT(from_english("on Monday , June 5th , 2006"),
              ElementsAre("Montag (dates)", "5. Juni 2006 (dates)"));
  EXPECT_THAT(from_english("Then In May it"), ElementsAre("Mai (dates)"));
  EXPECT_THAT(from_english("said March Peter to"), IsEmpty());
  EXPECT_THAT(from_english("the Good Friday and Friday night"), IsEmpty());
}

TEST(EnglishGermanRules, TranslateNumbersWithScalesAndUnits) {
  EXPECT_THAT(from_english("about 1.5 Mio. people"), ElementsAre("1,5 Mio. (numbers)"));
  EXPECT_THAT(from_english("fell by 2.5 % to 12,500"),
              ElementsAre("2,5 (numbers)", "12.500 (numbers)"));
  EXPECT_THAT(from_english("= ROUND ( 2.348 ; 2 ) returns 2.35"),
              ElementsAre("2,348 (numbers)", "2,35 (numbers)"));
  EXPECT_THAT(from_english("a width of 0.75 inches"), ElementsAre("0,75 (numbers)"));
}

TEST(EnglishGermanRules, LeaveVersionsSectionsAndScalesThatAreNotSure) {
  for (const char* text : {"LibreOffice 7.4 is",
                           "with USB 2.0 devices",
                           "Python 3.10 needs",
                           "up to version 0.5 of",
                           "glibc earlier than 2.2 .",
                           "see Section 3.2 for",
                           "since version 1.5 of",
                           "Linux 2.6 , glibc 2.1 .",
                           "1.5 bn dollars",
                           "1.5 thousand",
                           "an increase of 5.000 million",
                           "1.2.3 and 192.168.1.1"}) {
    EXPECT_THAT(from_english(text), IsEmpty()) << text;
  }
}

TEST(EnglishGermanRules, TranslateTimesOfHalfDays) {
  EXPECT_THAT(from_english("at 10.30 am"), ElementsAre("10.30 Uhr (dates)"));
  EXPECT_THAT(from_english("at 8:15 p.m."), ElementsAre("20:15 Uhr (dates)"));
  EXPECT_THAT(from_english("at 10.75 am"), IsEmpty());
  EXPECT_THAT(from_english("at 12 pm"), IsEmpty());
}

TEST(EnglishGermanRules, CopyPersonsOnly) {
  EXPECT_THAT(from_english("President George Bush said"), ElementsAre("George Bush (names)"));
  for (const char* text : {"Click the Save As button",
                           "choose Insert Page Break",
                           "in the White House",
                           "the United States",
                           "the Martin Luther King Memorial Library",
                           "near Thomas Street",
                           "John Smith 's dog"}) {
    EXPECT_THAT(from_english(text), IsEmpty()) << text;
  }
}

TEST(EnglishGermanRules, LeaveWeekdaysThatArePartOfALongerWord) {
  for (const char* text : {"Easter Monday is free",
                           "Good Friday = EASTERSUNDAY",
                           "overnight on Sunday into",
                           "until midday Monday",
                           "around noon on Saturday",
                           "arrived this Sunday night; then",
                           "before the Thursday negotiations",
                           "during Monday &apos;s match",
                           "print \" Sunday \""}) {
    EXPECT_THAT(from_english(text), IsEmpty()) << text;
  }
  EXPECT_THAT(from_english("before the Thursday after"), ElementsAre("Donnerstag (dates)"));
  EXPECT_THAT(from_english("On Monday we left"), ElementsAre("Montag (dates)"));
}

TEST(EnglishGermanRules, LeavePartsOfTimesAndTimesOfCompounds) {
  for (const char* text : {"today , at 3: 05 pm",
                           "a 8:15 AM advertisement",
                           "the 9 am class",
                           "8 - 10 am",
                           "a score of 3:2 yesterday",
                           "at 25.10 pm"}) {
    EXPECT_THAT(from_english(text), IsEmpty()) << text;
  }
}

TEST(EnglishGermanRules, LeaveNumbersOfCodeAndVersions) {
  for (const char* text : {"changed in GCC % { 12.1 % }",
                           "return * track * * 0.1",
                           "the MySQL server version less than 5.1 .",
                           "a version number of 3.4 + b 2",
                           "Export as SVG 1.1 per settings",
                           "ISBN 978-0-306-40615-7",
                           "phone 555 1234 or 0171.2345",
                           "10.0.0.1"}) {
    EXPECT_THAT(from_english(text), IsEmpty()) << text;
  }
}

TEST(EnglishGermanRules, CopyNoThingsThatAreNamedAfterPersons) {
  for (const char* text : {"the lost Steve Jobs Interview",
                           "see the Kate Plugin documentation",
                           "like Paul Fussell &apos;s book",
                           "by Sebastian Heinlein Manual"}) {
    EXPECT_THAT(from_english(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace phraseq
