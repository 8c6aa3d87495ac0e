#include "core/io/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

struct Case {
  std::string bytes;
  TextDefect defect;
  size_t length;
};

class BadText : public ::testing::TestWithParam<Case> {};

/// The bad text has enough plain text around it that the fast path runs before and after it.
TEST_P(BadText, IsFoundWithItsClassPlaceAndLength) {
  for (const std::string& before :
       {std::string(), std::string("plain "), std::string("nine chars and öé ")}) {
    const std::string text = before + GetParam().bytes + " and after it";
    const auto fault = find_text_fault(text, ControlBytes::kReject);
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->defect, GetParam().defect) << to_string(fault->defect);
    EXPECT_EQ(fault->offset, before.size());
    EXPECT_EQ(fault->length, GetParam().length);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryClass,
                         BadText,
                         testing::Values(Case{"\x80", TextDefect::kStrayContinuation, 1},
                                         Case{"\xBF", TextDefect::kStrayContinuation, 1},
                                         Case{"\xC0\xAF", TextDefect::kOverlong, 2},
                                         Case{"\xC1\xBF", TextDefect::kOverlong, 2},
                                         Case{"\xE0\x9F\xBF", TextDefect::kOverlong, 3},
                                         Case{"\xF0\x8F\xBF\xBF", TextDefect::kOverlong, 4},
                                         Case{"\xED\xA0\x80", TextDefect::kSurrogate, 3},
                                         Case{"\xED\xBF\xBF", TextDefect::kSurrogate, 3},
                                         Case{"\xF4\x90\x80\x80", TextDefect::kTooLarge, 4},
                                         Case{"\xF5\x80\x80\x80", TextDefect::kInvalidByte, 1},
                                         Case{"\xFE", TextDefect::kInvalidByte, 1},
                                         Case{"\xFF", TextDefect::kInvalidByte, 1},
                                         Case{"\xC3", TextDefect::kTruncated, 1},
                                         Case{"\xE2\x82", TextDefect::kTruncated, 2},
                                         Case{"\xF0\x9F\x98", TextDefect::kTruncated, 3},
                                         Case{std::string(1, '\0'), TextDefect::kControl, 1},
                                         Case{"\x01", TextDefect::kControl, 1},
                                         Case{"\x1B", TextDefect::kControl, 1},
                                         Case{"\x7F", TextDefect::kControl, 1}));

TEST(Utf8, FindsASequenceCutOffByTheEnd) {
  const auto fault = find_text_fault("abc\xE2\x82", ControlBytes::kReject);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->defect, TextDefect::kTruncated);
  EXPECT_EQ(fault->offset, 3U);
}

TEST(Utf8, AcceptsTheEdgesOfEveryRange) {
  const std::string edges =
      "\x7E\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F"
      "\xBF\xBF";
  EXPECT_FALSE(find_text_fault(edges, ControlBytes::kReject).has_value());
}

TEST(Utf8, AcceptsTabCarriageReturnAndSeparators) {
  EXPECT_FALSE(find_text_fault("a\tb\rc\xC2\x85\xE2\x80\xA8", ControlBytes::kReject).has_value());
}

TEST(Utf8, LetsControlBytesPassWhenAsked) {
  EXPECT_FALSE(find_text_fault("a\x01 long enough", ControlBytes::kAllow).has_value());
}

TEST(Utf8, SeesAControlByteAtEveryPlaceOfAWord) {
  for (size_t place = 0; place < 24; ++place) {
    std::string text(24, 'x');
    text[place] = '\x7f';
    const auto fault = find_text_fault(text, ControlBytes::kReject);
    ASSERT_TRUE(fault.has_value()) << place;
    EXPECT_EQ(fault->offset, place);
  }
}

TEST(Utf8, RepairsEachInvalidSequenceOnce) {
  EXPECT_EQ(repair_text("a\xF0\x9F\x98z\xFF\xFF", ControlBytes::kReject),
            "a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(repair_text(std::string("a\0b", 3), ControlBytes::kReject), "a b");
  EXPECT_EQ(repair_text("whole", ControlBytes::kReject), "whole");
}

TEST(Utf8, ReadsCharactersOfOneToFourBytes) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  size_t position = 0;
  EXPECT_EQ(next_character(text, position), U'a');
  EXPECT_EQ(next_character(text, position), char32_t{0xE9});
  EXPECT_EQ(next_character(text, position), char32_t{0x20AC});
  EXPECT_EQ(next_character(text, position), char32_t{0x1F600});
  EXPECT_EQ(position, text.size());
}

TEST(Utf8, ReadsAnInvalidSequenceAsOneReplacementCharacter) {
  const std::string text = "\xF0\x9F\x98z\xFF";
  size_t position = 0;
  EXPECT_EQ(next_character(text, position), char32_t{0xFFFD});
  EXPECT_EQ(position, 3u);
  EXPECT_EQ(next_character(text, position), U'z');
  EXPECT_EQ(next_character(text, position), char32_t{0xFFFD});
  EXPECT_EQ(position, text.size());
}

}  // namespace
}  // namespace phraseq
