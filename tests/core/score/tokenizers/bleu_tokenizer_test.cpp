#include "core/score/tokenizers/bleu_tokenizer.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/score/tokenizers/tokenizer_13a.h"
#include "core/score/tokenizers/tokenizer_char.h"
#include "core/score/tokenizers/tokenizer_intl.h"
#include "core/score/tokenizers/tokenizer_zh.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

std::string words(const std::string& text) { return join_words(split_whitespace(text)); }
std::string with_13a(std::string_view line) { return words(tokenize_13a(line)); }
std::string with_intl(std::string_view line) { return words(tokenize_intl(line)); }
std::string with_zh(std::string_view line) { return words(tokenize_zh(line)); }

// Expected values: sacrebleu 2.6.0.
TEST(Tokenizer13a, SplitsOffPunctuationButKeepsNumbers) {
  EXPECT_EQ(with_13a("1,000.50 and .5 5."), "1,000.50 and . 5 5 .");
  EXPECT_EQ(with_13a("a-b 3-4 x-3"), "a-b 3 - 4 x-3");
  EXPECT_EQ(with_13a("U.S.A. e.g., 3."), "U . S . A . e . g . , 3 .");
  EXPECT_EQ(with_13a("...   a..b"), ". . . a . . b");
}

TEST(Tokenizer13a, LeavesApostrophesCurlyQuotesAndForeignDigits) {
  EXPECT_EQ(with_13a("don't 'quote'"), "don't 'quote'");
  EXPECT_EQ(with_13a("“curly” — €5"), "“curly” — €5");
  EXPECT_EQ(with_13a("١,٢"), "١ , ٢");
}

TEST(Tokenizer13a, DecodesFourEntitiesInTheirOrder) {
  EXPECT_EQ(with_13a("&quot;&amp;lt; &apos;"), "\" < & apos ;");
  EXPECT_EQ(with_13a("&amp;quot;"), "& quot ;");
}

TEST(Tokenizer13a, DropsWhatMtevalDrops) { EXPECT_EQ(with_13a("a <skipped>b-\nc\nd"), "a bc d"); }

TEST(TokenizerIntl, SplitsOffUnicodePunctuationUnlessBetweenNumbers) {
  EXPECT_EQ(with_intl("don't 1,000.50 5."), "don ' t 1,000.50 5.");
  EXPECT_EQ(with_intl("١,٢"), "١,٢");
  EXPECT_EQ(with_intl("#39 €5 “x”"), "#39 € 5 “ x ”");
}

/// The first and last characters of the ranges beyond ASCII that tokenizer zh separates from
/// letters.
std::vector<std::pair<char32_t, char32_t>> ranges_of_zh() {
  std::vector<std::pair<char32_t, char32_t>> ranges;
  for (char32_t character = 0x80; character < 0x20000; ++character) {
    if (character >= 0xD800 && character < 0xE000)
      continue;
    std::string text = "a";
    append_utf8(text, character);
    if (!tokenize_zh(text + "b").starts_with("a "))
      continue;
    if (ranges.empty() || ranges.back().second + 1 != character)
      ranges.emplace_back(character, character);
    ranges.back().second = character;
  }
  return ranges;
}

TEST(TokenizerZh, SeparatesTheRangesOfSacrebleu) {
  const std::vector<std::pair<char32_t, char32_t>> expected = {{0x2001, 0x2A6D},
                                                               {0x2E80, 0x2FDF},
                                                               {0x2FF0, 0x303F},
                                                               {0x3100, 0x312F},
                                                               {0x31A0, 0x31EF},
                                                               {0x3200, 0x4DB5},
                                                               {0x4E00, 0x9FBB},
                                                               {0xF900, 0xFA2D},
                                                               {0xFA30, 0xFA6A},
                                                               {0xFA70, 0xFAD9},
                                                               {0xFE10, 0xFE1F},
                                                               {0xFE30, 0xFE4F},
                                                               {0xFF00, 0xFFEF}};
  EXPECT_EQ(ranges_of_zh(), expected);
}

TEST(TokenizerZh, SeparatesWhatSacrebleuCallsChinese) {
  EXPECT_EQ(with_zh("中文abc。"), "中 文 abc 。");
  EXPECT_EQ(with_zh("a—b €5 “x”"), "a — b € 5 “ x ”");  // U+2001-2A6D are included
  EXPECT_EQ(with_zh("𠀀𠀁"), "𠀀𠀁");                   // Extension B is not
  EXPECT_EQ(with_zh("\u9FBC\u9FBD かな"), "\u9FBC\u9FBD かな");
  EXPECT_EQ(with_zh("\u2A6D\u2A6E"), "\u2A6D \u2A6E");
  EXPECT_EQ(with_zh("a\u2F82b\uFE4Fc\uFE50d"), "a \u2F82 b \uFE4F c\uFE50d");
}

TEST(TokenizerChar, GivesOneTokenForEachCodePoint) {
  EXPECT_EQ(words(tokenize_char("e\u0301 𝄞x")), "e \u0301 𝄞 x");
}

TEST(BleuTokenizer, NamesWhatIsMissing) {
  EXPECT_THROW(make_bleu_tokenizer("spm", ""), UsageError);
  EXPECT_THROW(make_bleu_tokenizer("ja-mecab", ""), UsageError);
  try {
    make_bleu_tokenizer("13b", "");
    FAIL() << "was accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.message(), testing::EndsWith("; did you mean '13a'?"));
  }
}

}  // namespace
}  // namespace phraseq::score
