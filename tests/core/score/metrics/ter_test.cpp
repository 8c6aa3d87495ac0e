#include "core/score/metrics/ter.h"

#include <gtest/gtest.h>

#include "core/score/metrics/ter_shifts.h"
#include "tests/core/score/example.h"

namespace phraseq::score {
namespace {

double ter_of_pair(const std::string& hypothesis, const std::vector<Lines>& references) {
  return corpus_score(Ter({}), {hypothesis}, references);
}

// Expected values: sacrebleu 2.6.0.
TEST(Ter, EqualsSacrebleuOnTheExample) {
  const auto sums = collect_statistics(Ter({}), kHypotheses, kReferences, 1).sums();
  EXPECT_EQ(sums, (std::vector<double>{6, 15}));
  EXPECT_DOUBLE_EQ(example_score(Ter({})), 40.0);
  EXPECT_DOUBLE_EQ(example_score(Ter({.normalized = true})), 33.33333333333333);
}

TEST(Ter, CountsAShiftAsOneEdit) {
  EXPECT_DOUBLE_EQ(ter_of_pair("a b c d", {{"d a b c"}}), 25.0);
  EXPECT_DOUBLE_EQ(ter_of_pair("d e f g h a b c", {{"a b c d e f g h"}}), 12.5);
}

TEST(Ter, DividesTheFewestEditsByTheAverageLength) {
  EXPECT_DOUBLE_EQ(ter_of_pair("a b", {{"a"}, {"a b c"}}), 50.0);
}

TEST(Ter, ScoresEmptyTexts) {
  EXPECT_DOUBLE_EQ(ter_of_pair("a", {{""}}), 100.0);
  EXPECT_DOUBLE_EQ(ter_of_pair("", {{""}}), 0.0);
  EXPECT_DOUBLE_EQ(ter_of_pair("", {{"a b"}}), 100.0);
  EXPECT_DOUBLE_EQ(ter_of_pair("a b c d e f", {{"x"}}), 600.0);
}

TEST(TerShifts, PrefersTheLongestPhrase) {
  EXPECT_EQ(count_ter_edits({3, 4, 0, 1, 2}, {0, 1, 2, 3, 4}), 1);
  EXPECT_EQ(count_ter_edits({0, 1}, {}), 2);
}

}  // namespace
}  // namespace phraseq::score
