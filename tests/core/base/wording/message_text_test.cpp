#include "core/base/wording/message_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(OnOneLine, ReplacesEverythingThatEndsALine) {
  EXPECT_EQ(on_one_line("a\nb\rc\vd\fe\x1C"
                        "f\x1Dg\x1Eh\u0085i\u2028j\u2029k"),
            "a b c d e f g h i j k");
}

TEST(OnOneLine, KeepsAllOtherText) {
  const std::string text = "tab\there, ä \u00A0 \u2027 \u202A 水 \xF0\x9F\x98\x80";
  EXPECT_EQ(on_one_line(text), text);
}

TEST(ShortenedMessage, KeepsWhatAPersonCanRead) {
  const std::string message = std::string(1000, 'x') + "\n  hint";
  EXPECT_EQ(shortened_message(message), message);
}

TEST(ShortenedMessage, ShowsControlCharactersThatATerminalWouldObey) {
  EXPECT_EQ(shortened_message("a\x1B[31m\tb\r\x7F\n  \u0080\u009B2J \u00A0 é"),
            "a\\x1B[31m\tb\\x0D\\x7F\n  \\u0080\\u009B2J \u00A0 é");
}

TEST(ShortenedMessage, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(shortened_message("a\xFF\xFE 'b\x80' \xC3"), "a\\xFF\\xFE 'b\\x80' \\xC3");
  EXPECT_EQ(shortened_message(
                "\xC0\xAF|\xE0\x80\x80|\xED\xA0\x80|\xF4\x90\x80\x80|\xE6\xB0|\xE6\xB0\xB4"),
            "\\xC0\\xAF|\\xE0\\x80\\x80|\\xED\\xA0\\x80|\\xF4\\x90\\x80\\x80|\\xE6\\xB0|水");
}

TEST(ShortenedMessage, KeepsTheFirstAndTheLastCharacterOfEveryLength) {
  const std::string text = "~\u00A0\u07FF\u0800\uD7FF\uE000\uFFFD\U00010000\U0010FFFD";
  EXPECT_EQ(shortened_message(text), text);
}

TEST(ShortenedMessage, ShowsBeginningAndEndOfALongLine) {
  const std::string text =
      shortened_message("begin " + std::string(5'000'000, 'x') + " end\n  hint");
  EXPECT_LT(text.size(), 1100U);
  EXPECT_THAT(text, StartsWith("begin xxx"));
  EXPECT_THAT(text, HasSubstr("4999110 bytes"));
  EXPECT_THAT(text, EndsWith(" end\n  hint"));
}

TEST(ShortenedMessage, ShortensALineOfMoreThanAThousandBytes) {
  EXPECT_EQ(shortened_message(std::string(1001, 'x')),
            std::string(600, 'x') + " [... 101 bytes ...] " + std::string(300, 'x'));
}

TEST(ShortenedMessage, ShowsTheFirstOfVeryManyLines) {
  std::string message;
  for (int i = 0; i < 100'000; ++i) message += "line\n";
  const std::string text = shortened_message(message);
  EXPECT_LT(text.size(), 1100U);
  EXPECT_THAT(text, HasSubstr("more lines]"));
}

TEST(ShortenedMessage, DoesNotCutACharacter) {
  std::string line;
  for (int i = 0; i < 1000; ++i) line += "水";
  for (size_t shift = 0; shift < 3; ++shift) {
    const std::string text = shortened_message(std::string(shift, 'x') + line);
    EXPECT_THAT(text, HasSubstr("水 [... "));
    EXPECT_THAT(text, HasSubstr(" ...] 水"));
  }
}

TEST(Excerpt, IsShortAndOnOneLine) {
  EXPECT_EQ(excerpt("a\nb"), "a b");
  EXPECT_EQ(excerpt(std::string(300, 'x')), std::string(200, 'x') + "... (300 bytes)");
}

}  // namespace
}  // namespace phraseq
