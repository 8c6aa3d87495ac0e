#include "core/text/unicode_text.h"

#include <gtest/gtest.h>

namespace phraseq::score {
namespace {

TEST(UnicodeText, KnowsExactlyPythonsWhitespace) {
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

TEST(UnicodeText, StripsAndSplitsAtAllOfThem) {
  EXPECT_EQ(strip_right("a b\u3000\u2028\x1C\r\t "), "a b");
  EXPECT_EQ(strip("\u00A0 a\u200B\uFEFF "), "a\u200B\uFEFF");
  EXPECT_EQ(strip("\u2003"), "");
  EXPECT_EQ(join(split("\x1F"
                       "a\u0085\u00A0ü\u205F ")),
            "a ü");
}

TEST(UnicodeText, LowercasesByContextAndToSeveralCodePoints) {
  EXPECT_EQ(lowercase("ABC'Z"), "abc'z");
  EXPECT_EQ(lowercase("İÄ"), "i\u0307ä");
  EXPECT_EQ(lowercase("ΟΔΟΣ Σ ΣΑ"), "οδος σ σα");
}

}  // namespace
}  // namespace phraseq::score
