#include "core/score/metrics/ter.h"

#include <numeric>

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

TEST(Ter, PreparesReferencesTwiceAsSacrebleuDoes) {
  // The hypothesis becomes ". ,1 a", the reference ". , 1 a".
  EXPECT_DOUBLE_EQ(corpus_score(Ter({.normalized = true}), {".,1 a"}, {{".,1 a"}}), 50.0);
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

/// The edits for a phrase of three words that is `distance` words too early.
int64_t edits_for_a_shift_over(int64_t distance) {
  constexpr int64_t kWords = 60;
  const WordRow phrase = {100, 101, 102};
  WordRow hypothesis = phrase, reference;
  for (int word = 0; word < kWords; ++word) {
    if (word == distance)
      reference.insert(reference.end(), phrase.begin(), phrase.end());
    hypothesis.push_back(word);
    reference.push_back(word);
  }
  return count_ter_edits(hypothesis, reference);
}

TEST(TerShifts, MovesAPhraseByUpTo50Words) {
  EXPECT_EQ(edits_for_a_shift_over(49), 1);
  EXPECT_EQ(edits_for_a_shift_over(50), 1);
  EXPECT_EQ(edits_for_a_shift_over(51), 6);
}

/// The edits for two swapped phrases of `length` words: one, if a whole phrase may be shifted.
int64_t edits_for_phrases_of(size_t length) {
  WordRow hypothesis, reference;
  for (size_t word = 0; word < 2 * length; ++word) {
    hypothesis.push_back(static_cast<uint32_t>(word));
    reference.push_back(static_cast<uint32_t>((word + length) % (2 * length)));
  }
  return count_ter_edits(hypothesis, reference);
}

// sacrebleu 2.3.1 counts the same edits.
TEST(TerShifts, MovesPhrasesOfUpTo10Words) {
  EXPECT_EQ(edits_for_phrases_of(10), 1);
  EXPECT_EQ(edits_for_phrases_of(11), 2);
}

// sacrebleu 2.6.0 considers 999 candidates for the first shift. It finds 8 edits, or 14 with 999
// candidates in all.
TEST(TerShifts, LooksAtUpTo1000Candidates) {
  const WordRow hypothesis = {1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0,
                              1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0};
  const WordRow reference = {0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1,
                             1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0};
  EXPECT_EQ(count_ter_edits(hypothesis, reference), 8);
}

// As sacrebleu 2.6.0; the only place for the first shift is opposite the word after the phrase.
TEST(TerShifts, MovesAPhraseToThePlaceRightAfterIt) {
  EXPECT_EQ(count_ter_edits({0, 0, 1, 2}, {2, 1, 0, 0}), 2);
}

// As sacrebleu 2.6.0; with a beam of 24, it would be 26.
TEST(TerEdits, AppendsAsManyWordsAsTheBeamIsWide) {
  WordRow hypothesis(28);
  std::iota(hypothesis.begin(), hypothesis.end(), 0);
  WordRow reference(53);
  std::iota(reference.begin(), reference.end(), 0);
  EXPECT_EQ(count_ter_edits(hypothesis, reference), 25);
}

// A table with a cell for each pair of words would take 360 GB.
TEST(TerEdits, NeedsLittleMemoryForVeryLongLines) {
  WordRow hypothesis(200'000);
  std::iota(hypothesis.begin(), hypothesis.end(), 0);
  WordRow reference = hypothesis;
  EXPECT_EQ(count_ter_edits(hypothesis, reference), 0);
  reference[7] = 500'000;
  EXPECT_EQ(count_ter_edits(hypothesis, reference), 1);
}

TEST(TerShifts, PrefersTheLongestPhrase) {
  EXPECT_EQ(count_ter_edits({3, 4, 0, 1, 2}, {0, 1, 2, 3, 4}), 1);
  EXPECT_EQ(count_ter_edits({0, 1}, {}), 2);
}

}  // namespace
}  // namespace phraseq::score
