#include "core/text/unicode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using ::testing::ElementsAre;

TEST(Unicode, KnowsExactlyPythonsWhitespace) {
  const std::u32string spaces =
      U"\x09\x0A\x0B\x0C\x0D\x1C\x1D\x1E\x1F\x20\u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004"
      U"\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000";
  std::u32string found;
  for (char32_t character = 0; character < 0x110000; ++character) {
    if (is_space(character))
      found += character;
  }
  EXPECT_EQ(found, spaces);
}

TEST(Unicode, StripsAndSplitsAtAllOfThem) {
  EXPECT_EQ(strip_right("a b\u3000\u2028\x1C\r\t "), "a b");
  EXPECT_EQ(strip("\u00A0 a\u200B\uFEFF "), "a\u200B\uFEFF");
  EXPECT_EQ(strip("\u2003"), "");
  EXPECT_EQ(join_words(split_whitespace("\x1F"
                                        "a\u0085\u00A0ü\u205F ")),
            "a ü");
}

TEST(Unicode, LowercasesByContextAndToSeveralCodePoints) {
  EXPECT_EQ(to_lowercase("ABC'Z"), "abc'z");
  EXPECT_EQ(to_lowercase("İÄ"), "i\u0307ä");
  EXPECT_EQ(to_lowercase("ΟΔΟΣ Σ ΣΑ"), "οδος σ σα");
}

TEST(Unicode, SplitsWherePythonDoes) {
  EXPECT_THAT(split_whitespace(" a\t\vb\x1c"
                               "c\x1f\xC2\x85"
                               "d\xC2\xA0"
                               "e\xE1\x9A\x80"
                               "f\xE2\x80\x8A"
                               "g\xE2\x80\xA8"
                               "h\xE2\x80\xAF"
                               "i\xE2\x81\x9F"
                               "j\xE3\x80\x80k\n"),
              ElementsAre("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"));
}

TEST(Unicode, KeepsWhatOnlyLooksEmpty) {
  EXPECT_THAT(split_whitespace("\xE2\x80\x8B \xEF\xBB\xBF"),
              ElementsAre("\xE2\x80\x8B", "\xEF\xBB\xBF"));
  EXPECT_THAT(split_whitespace(" \t "), ElementsAre());
}

TEST(Unicode, LowercasesByTheFullMapping) {
  EXPECT_EQ(to_lowercase("\xC3\x84 STRASSE \xCE\x9F\xCE\x94\xCE\x9F\xCE\xA3"),
            "\xC3\xA4 strasse \xCE\xBF\xCE\xB4\xCE\xBF\xCF\x82");
  EXPECT_EQ(to_lowercase("\xC4\xB0I"), "i\xCC\x87i");
}

TEST(Unicode, KnowsExactlyPerlsWhitespaceOfBytes) {
  std::u32string found;
  for (char32_t character = 0; character < 0x110000; ++character) {
    if (is_ascii_space(character))
      found += character;
  }
  EXPECT_EQ(found, U"\t\n\v\f\r ");
}

TEST(Unicode, SplitsAtAsciiWhitespaceAsPerlDoes) {
  EXPECT_THAT(split_ascii_whitespace("\va\x1c b\u00A0c\f"), ElementsAre("a\x1c", "b\u00A0c"));
}

}  // namespace
}  // namespace phraseq
