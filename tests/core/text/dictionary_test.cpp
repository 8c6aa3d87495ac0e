#include "core/text/dictionary.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string rejection_of(std::string_view text) {
  return whole_message_of<DataError>([&] { Dictionary::parse(text, "dict.xx.txt"); });
}

TEST(Dictionary, StartsWithFairseqsSpecials) {
  const Dictionary dictionary;
  EXPECT_EQ(dictionary.size(), 4);
  EXPECT_EQ(dictionary.symbol(kBos), "<s>");
  EXPECT_EQ(dictionary.symbol(kPad), "<pad>");
  EXPECT_EQ(dictionary.symbol(kEos), "</s>");
  EXPECT_EQ(dictionary.symbol(kUnk), "<unk>");
  EXPECT_EQ(dictionary.to_text(), "");
}

TEST(Dictionary, NumbersTheLinesOfAFileFromFour) {
  const auto dictionary = Dictionary::parse("der 7\n\xC3\xA4 b 3\r\nzzz 0", "d");
  EXPECT_EQ(dictionary.size(), 7);
  EXPECT_EQ(dictionary.id("der"), 4);
  EXPECT_EQ(dictionary.id("\xC3\xA4 b"), 5);  // the count is after the last space
  EXPECT_EQ(dictionary.id("zzz"), 6);
  EXPECT_EQ(dictionary.id("das"), kUnk);
  EXPECT_EQ(dictionary.count(4), 7);
}

TEST(Dictionary, KeepsTheMarkThatASymbolBeginsWith) {
  EXPECT_EQ(Dictionary::parse("\xEF\xBB\xBFThe 2", "d").symbol(4), "The");
  Dictionary dictionary;
  dictionary.add("\xEF\xBB\xBF", 3);
  dictionary.add("\xEF\xBB\xBFThe", 2);
  EXPECT_TRUE(Dictionary::parse(dictionary.to_text(), "d") == dictionary);
}

TEST(Dictionary, OrdersByCountThenCodePointAndPads) {
  Dictionary dictionary;
  dictionary.add("b", 2);
  dictionary.add("\xF0\x9F\x98\x80",
                 2);                  // U+1F600: after U+FF5E, but before it in UTF-16
  dictionary.add("\xEF\xBD\x9E", 2);  // U+FF5E
  dictionary.add("a", 2);
  dictionary.add("often", 9);
  dictionary.add("rare", 1);
  dictionary.finalize(2, -1, 8);
  EXPECT_EQ(dictionary.to_text(),
            "often 9\na 2\nb 2\n\xEF\xBD\x9E 2\n\xF0\x9F\x98\x80 2\n"
            "madeupword0000 0\nmadeupword0001 0\nmadeupword0002 0\n"
            "madeupword0003 0\nmadeupword0004 0\nmadeupword0005 0\nmadeupword0006 0\n");
  EXPECT_EQ(dictionary.size(), 16);
}

TEST(Dictionary, KeepsTheMostFrequentWithTheSpecialsCounted) {
  Dictionary dictionary;
  for (const char* word : {"a", "b", "b", "c", "c", "c"}) dictionary.add(word);
  dictionary.finalize(0, 6, 1);
  EXPECT_EQ(dictionary.to_text(), "c 3\nb 2\n");
}

TEST(Dictionary, KeepsTheCountsOfSpecials) {
  Dictionary dictionary;
  dictionary.add("</s>", 3);
  dictionary.finalize(0, -1, 1);
  EXPECT_EQ(dictionary.count(kEos), 3);
}

TEST(Dictionary, PadsAroundASymbolThatIsCalledLikePadding) {
  const auto words = "madeupword0000";
  Dictionary dictionary;
  dictionary.add(words, 5);
  dictionary.finalize(0, -1, 3);
  EXPECT_EQ(dictionary.to_text(), "madeupword0000 5\nmadeupword0001 0\n");
}

TEST(Dictionary, ReadsBackWhatItWrites) {
  const std::string text = "a 3\nb c 2\n<s> 1 #fairseq:overwrite\nb c 1 #fairseq:overwrite\n";
  const auto dictionary = Dictionary::parse(text, "d");
  EXPECT_EQ(dictionary.id("<s>"), 6);
  EXPECT_EQ(dictionary.id("b c"), 7);
  EXPECT_EQ(dictionary.to_text(), text);
  EXPECT_EQ(dictionary.fingerprint(), Dictionary::parse(text, "e").fingerprint());
  EXPECT_NE(dictionary.fingerprint(), Dictionary::parse("a 3\n", "e").fingerprint());
}

TEST(Dictionary, RejectsDamageWithItsLine) {
  EXPECT_THAT(rejection_of("a 3\nb\n"), HasSubstr("dict.xx.txt:2: no count after the symbol 'b'"));
  EXPECT_THAT(rejection_of("a 3\n\nb 1\n"), HasSubstr("dict.xx.txt:2: no count"));
  EXPECT_THAT(rejection_of("a 3\nb\t1\n"), HasSubstr("dict.xx.txt:2: a TAB instead of a space"));
  EXPECT_THAT(rejection_of("\"</s>\": 0\n\"<unk>\": 1\na: 2\n"),
              HasSubstr("dict.xx.txt:1: this is a vocabulary of Marian (YAML)"));
  EXPECT_THAT(rejection_of("</s>: 0\n"), HasSubstr("a vocabulary of Marian"));
  EXPECT_THAT(rejection_of("a 3\nb x\n"), HasSubstr("dict.xx.txt:2: 'x' is not a count"));
  EXPECT_THAT(rejection_of("a 3x\n"), HasSubstr("'3x' is not a count"));
  EXPECT_THAT(rejection_of("a -1\n"), HasSubstr("'-1' is not a count"));
  EXPECT_THAT(rejection_of("a 99999999999999999999\n"), HasSubstr("does not fit in 64 bits"));
  EXPECT_THAT(rejection_of(" 3\n"), HasSubstr("no symbol before the count"));
  EXPECT_THAT(rejection_of("a 3\nb 2\na 1\n"),
              HasSubstr("dict.xx.txt:3: the symbol 'a' already has the id 4"));
  EXPECT_THAT(rejection_of("</s> 3\n"),
              HasSubstr("dict.xx.txt:1: the symbol '</s>' already has the id 2"));
  EXPECT_THAT(rejection_of("a 3\nb\xC0\xAF 2\n"),
              HasSubstr("dict.xx.txt:2:2: invalid UTF-8: overlong"));
}

TEST(Dictionary, EncodesWordsBetweenAnyWhitespace) {
  const auto dictionary = Dictionary::parse("a 3\nb 2\n", "d");
  EXPECT_THAT(dictionary.encode("  a\tb \xE3\x80\x80 what\xC2\xA0"
                                "a "),
              ElementsAre(4, 5, kUnk, 4, kEos));
  EXPECT_THAT(dictionary.encode("", true), ElementsAre(kEos));
  EXPECT_THAT(dictionary.encode("b", false), ElementsAre(5));
}

TEST(Dictionary, DecodesWithoutTheSpecials) {
  const auto dictionary = Dictionary::parse("a 3\nb 2\n", "d");
  const std::vector<int64_t> ids = {kBos, 5, kUnk, 4, kEos, kPad};
  EXPECT_EQ(dictionary.decode(ids), "b <unk> a");
}

TEST(Dictionary, RejectsAnIdBeyondItsEnd) {
  const Dictionary dictionary;
  EXPECT_THROW(dictionary.symbol(4), DataError);
  EXPECT_THROW(dictionary.symbol(-1), DataError);
}

}  // namespace
}  // namespace phraseq
