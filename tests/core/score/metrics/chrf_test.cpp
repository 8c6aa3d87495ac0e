#include "core/score/metrics/chrf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/score/example.h"

namespace phraseq::score {
namespace {

double chrf_of_pair(const std::string& hypothesis,
                    const std::string& reference,
                    ChrfSettings settings) {
  return corpus_score(Chrf(settings), {hypothesis}, {{reference}});
}

// Expected values: sacrebleu 2.6.0.
TEST(Chrf, EqualsSacrebleuOnTheExample) {
  EXPECT_DOUBLE_EQ(example_score(Chrf({})), 59.72751782684763);
  EXPECT_DOUBLE_EQ(example_score(Chrf({.word_order = 2})), 59.15310444399262);
  EXPECT_DOUBLE_EQ(example_score(Chrf({.lowercase = true})), 60.02302725455764);
  EXPECT_DOUBLE_EQ(example_score(Chrf({.whitespace = true})), 65.8764867358276);
  EXPECT_DOUBLE_EQ(example_score(Chrf({.eps_smoothing = true})), 59.72734693786311);
  EXPECT_DOUBLE_EQ(example_score(Chrf({.beta = 3})), 59.97018342124192);
}

TEST(Chrf, HandlesTheShortestTexts) {
  EXPECT_DOUBLE_EQ(chrf_of_pair("a", "a", {}), 100.0);
  EXPECT_DOUBLE_EQ(chrf_of_pair("a", "a", {.eps_smoothing = true}), 16.666666666666668);
  EXPECT_DOUBLE_EQ(chrf_of_pair("", "a", {}), 0.0);
  EXPECT_DOUBLE_EQ(chrf_of_pair("", "a", {.eps_smoothing = true}), 8.333333333333334e-15);
  EXPECT_DOUBLE_EQ(chrf_of_pair("", "", {}), 0.0);
  EXPECT_DOUBLE_EQ(chrf_of_pair("a b", "ab", {}), 100.0);
  EXPECT_DOUBLE_EQ(chrf_of_pair("a b", "ab", {.word_order = 2}), 66.66666666666666);
}

TEST(Chrf, TakesTheFirstOfEquallyGoodReferences) {
  EXPECT_DOUBLE_EQ(corpus_score(Chrf({}), {"ab", "ab"}, {{"cd", "ab"}, {"cdefgh", "abc"}}), 50.0);
  EXPECT_DOUBLE_EQ(corpus_score(Chrf({}), {"ab", "ab"}, {{"cdefgh", "ab"}, {"cd", "abc"}}),
                   23.584905660377352);
}

TEST(Chrf, CountsNoNGramsOfAnOrderThatTheReferenceIsTooShortFor) {
  EXPECT_DOUBLE_EQ(corpus_score(Chrf({}), {"abcdef", "abc"}, {{"ab", "abcd"}}), 68.75687568756877);
}

TEST(Chrf, SplitsOffOneMarkOfAWordTheLastBeforeTheFirst) {
  EXPECT_THAT(chrf_words("(hi) \"x , é. ¿so?"),
              testing::ElementsAre("(hi", ")", "\"", "x", ",", "é", ".", "¿so", "?"));
}

TEST(Chrf, IsNamedByBetaAndWordOrder) {
  EXPECT_EQ(Chrf({}).name(), "chrF2");
  EXPECT_EQ(Chrf({.word_order = 2, .beta = 3}).name(), "chrF3++");
}

}  // namespace
}  // namespace phraseq::score
