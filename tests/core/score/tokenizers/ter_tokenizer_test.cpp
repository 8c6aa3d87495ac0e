#include "core/score/tokenizers/ter_tokenizer.h"

#include <gtest/gtest.h>

namespace phraseq::score {
namespace {

constexpr TerTokenizerSettings kNormalized = {.normalized = true};
constexpr TerTokenizerSettings kAsian = {.normalized = true, .asian_support = true};

// Expected values: sacrebleu 2.6.0.
TEST(TerTokenizer, LowercasesAndJoinsWordsByDefault) {
  EXPECT_EQ(tokenize_tercom(" A  b\u3000C. ", {}), "a b c.");
  EXPECT_EQ(tokenize_tercom("A b", {.case_sensitive = true}), "A b");
  EXPECT_EQ(tokenize_tercom("", {}), "");
}

TEST(TerTokenizer, NormalizesWesternText) {
  EXPECT_EQ(tokenize_tercom("a b (c) d.", kNormalized), "a b ( c ) d .");
  EXPECT_EQ(tokenize_tercom("4.2 it's 3-4 &amp;lt;", kNormalized), "4.2 it 's 3 - 4 <");
}

TEST(TerTokenizer, RemovesPunctuation) {
  EXPECT_EQ(tokenize_tercom("a, \"b\" c-d.", {.no_punct = true}), "a b c-d");
  EXPECT_EQ(tokenize_tercom("、あ。！", {.no_punct = true, .asian_support = true}), "あ");
}

TEST(TerTokenizer, SplitsHanButNotKana) {
  EXPECT_EQ(tokenize_tercom("りの拳銃を持", kAsian), "りの 拳 銃 を 持");
  EXPECT_EQ(tokenize_tercom("ひらカナ", kAsian), "ひらカナ");
  EXPECT_EQ(tokenize_tercom("a\uFAFFb\uFE4Fc", kAsian), "a \uFAFF b \uFE4F c");
}

}  // namespace
}  // namespace phraseq::score
