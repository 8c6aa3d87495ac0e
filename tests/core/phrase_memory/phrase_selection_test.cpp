#include "core/phrase_memory/phrase_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Overlap = PhraseOverlap;
using Repeat = PhraseRepeat;

/// The phrases that get slots, one letter for each: phrase 0 is A.
std::string slots_of(std::vector<PhraseOccurrence> occurrences,
                     Overlap overlap,
                     int64_t slots = 10,
                     Repeat repeat = Repeat::kSlots) {
  std::string letters;
  for (const auto& slot : select_phrases(std::move(occurrences), {slots, overlap, repeat}))
    letters += static_cast<char>('A' + slot.phrase);
  return letters;
}

// A(5) overlaps B(4) overlaps C(3), and A does not touch C:
// words   0 1 2 3 4 5 6 7 8 9
// A       + + + + +
// B             + + + +
// C                   + + +      begins at 6
const std::vector<PhraseOccurrence> kChain = {{0, 5, 0}, {3, 4, 1}, {6, 3, 2}};

TEST(Overlaps, KeepTheThirdOfAChainGreedilyButNotLiterally) {
  EXPECT_EQ(slots_of(kChain, Overlap::kGreedy), "AC");
  EXPECT_EQ(slots_of(kChain, Overlap::kDynamic), "AC");
  EXPECT_EQ(slots_of(kChain, Overlap::kLiteral), "A");
}

TEST(Overlaps, AreResolvedForTheMostWordsByDynamicProgrammingOnly) {
  // A and C cover 3 + 3 words around B's 4.
  const std::vector<PhraseOccurrence> around = {{0, 3, 0}, {2, 4, 1}, {5, 3, 2}};
  EXPECT_EQ(slots_of(around, Overlap::kGreedy), "B");
  EXPECT_EQ(slots_of(around, Overlap::kLiteral), "B");
  EXPECT_EQ(slots_of(around, Overlap::kDynamic), "AC");
}

TEST(Overlaps, HaveTheLimitInsideTheDynamicProgram) {
  // With one slot the longest single phrase covers most, although two cover more.
  const std::vector<PhraseOccurrence> around = {{0, 3, 0}, {2, 4, 1}, {5, 3, 2}};
  EXPECT_EQ(slots_of(around, Overlap::kDynamic, 1), "B");
  EXPECT_EQ(slots_of(around, Overlap::kDynamic, 0), "");
}

TEST(Overlaps, BetweenEquallyLongOnesGoToTheLeftmost) {
  const std::vector<PhraseOccurrence> equal = {{1, 2, 1}, {0, 2, 0}};
  EXPECT_EQ(slots_of(equal, Overlap::kGreedy), "A");
  EXPECT_EQ(slots_of(equal, Overlap::kDynamic), "A");
  EXPECT_EQ(slots_of(equal, Overlap::kLiteral), "A");
  // Three in a row: taken literally, C loses to B although B is dropped, too.
  const std::vector<PhraseOccurrence> row = {{0, 2, 0}, {1, 2, 1}, {2, 2, 2}};
  EXPECT_EQ(slots_of(row, Overlap::kGreedy), "AC");
  EXPECT_EQ(slots_of(row, Overlap::kDynamic), "AC");
  EXPECT_EQ(slots_of(row, Overlap::kLiteral), "A");
}

TEST(Overlaps, OfEqualCoverageGoToFewerPhrasesThenToTheLeftmost) {
  // A + B cover the four words of C.
  EXPECT_EQ(slots_of({{0, 2, 0}, {2, 2, 1}, {0, 4, 2}}, Overlap::kDynamic), "C");
  // A + B cover three words from the left, C three from the right.
  EXPECT_EQ(slots_of({{0, 2, 0}, {2, 1, 1}, {1, 3, 2}}, Overlap::kDynamic), "C");
  // Two words of three, from the left or from the right.
  EXPECT_EQ(slots_of({{1, 2, 0}, {0, 2, 1}}, Overlap::kDynamic), "B");
  // Three words in two phrases, 2 + 1 or 1 + 2, which both begin at 0: the longer first one wins.
  EXPECT_EQ(slots_of({{0, 1, 0}, {0, 2, 1}, {1, 2, 2}, {2, 1, 3}}, Overlap::kDynamic), "BD");
}

TEST(Overlaps, LeaveNestedPhrasesToTheLongest) {
  const std::vector<PhraseOccurrence> nested = {{0, 1, 0}, {0, 3, 1}, {1, 1, 2}, {2, 1, 3}};
  for (const auto overlap : {Overlap::kGreedy, Overlap::kDynamic, Overlap::kLiteral})
    EXPECT_EQ(slots_of(nested, overlap), "B");
}

TEST(Overlaps, DoNotConcernNeighbors) {
  for (const auto overlap : {Overlap::kGreedy, Overlap::kDynamic, Overlap::kLiteral})
    EXPECT_EQ(slots_of({{2, 1, 1}, {0, 2, 0}, {3, 3, 2}}, overlap), "ABC");
}

TEST(Slots, AreInSourceOrder) {
  const auto slots = select_phrases({{7, 3, 5}, {0, 1, 9}, {3, 2, 4}});
  ASSERT_EQ(slots.size(), 3u);
  EXPECT_THAT(slots[0].occurrences, ElementsAre(PhraseOccurrence{0, 1, 9}));
  EXPECT_THAT(slots[1].occurrences, ElementsAre(PhraseOccurrence{3, 2, 4}));
  EXPECT_THAT(slots[2].occurrences, ElementsAre(PhraseOccurrence{7, 3, 5}));
}

TEST(Slots, BeyondTheLimitGoToTheLongestTiesToTheLeftmost) {
  const std::vector<PhraseOccurrence> disjoint = {{0, 1, 0}, {2, 2, 1}, {5, 1, 2}, {7, 3, 3}};
  for (const auto overlap : {Overlap::kGreedy, Overlap::kDynamic, Overlap::kLiteral}) {
    EXPECT_EQ(slots_of(disjoint, overlap, 3), "ABD");
    EXPECT_EQ(slots_of(disjoint, overlap, 2), "BD");
    EXPECT_EQ(slots_of(disjoint, overlap, 1), "D");
    EXPECT_EQ(slots_of(disjoint, overlap, 0), "");
  }
}

TEST(Slots, AreOnePerOccurrenceOrSharedByAPhrase) {
  const std::vector<PhraseOccurrence> repeated = {{0, 2, 0}, {3, 1, 1}, {5, 2, 0}};
  for (const auto overlap : {Overlap::kGreedy, Overlap::kDynamic, Overlap::kLiteral}) {
    EXPECT_EQ(slots_of(repeated, overlap), "ABA");
    EXPECT_EQ(slots_of(repeated, overlap, 10, Repeat::kShared), "AB");
  }
  const auto shared = select_phrases(repeated, {10, Overlap::kGreedy, Repeat::kShared});
  EXPECT_THAT(shared[0].occurrences,
              ElementsAre(PhraseOccurrence{0, 2, 0}, PhraseOccurrence{5, 2, 0}));
  EXPECT_EQ(shared[0].covered(), 4);
}

TEST(Slots, ThatAreSharedRankByAllTheWordsTheyCover) {
  // A three times one word, B two words once.
  const std::vector<PhraseOccurrence> repeated = {{0, 2, 1}, {3, 1, 0}, {5, 1, 0}, {7, 1, 0}};
  EXPECT_EQ(slots_of(repeated, Overlap::kGreedy, 1, Repeat::kShared), "A");
  EXPECT_EQ(slots_of(repeated, Overlap::kDynamic, 1, Repeat::kShared), "A");
  EXPECT_EQ(slots_of(repeated, Overlap::kGreedy, 1, Repeat::kSlots), "B");
}

TEST(Slots, OfNothingAreNone) {
  for (const auto overlap : {Overlap::kGreedy, Overlap::kDynamic, Overlap::kLiteral})
    EXPECT_THAT(select_phrases({}, {10, overlap, Repeat::kSlots}), IsEmpty());
}

TEST(Slots, OfALongSentenceAreFoundByEveryOption) {
  std::vector<PhraseOccurrence> occurrences;  // [0,2) [1,3) …, of which every second one is kept
  for (int64_t begin = 0; begin < 20'000; ++begin) occurrences.push_back({begin, 2, begin});
  EXPECT_EQ(select_phrases(occurrences, {20'000, Overlap::kGreedy, Repeat::kSlots}).size(),
            10'000u);
  EXPECT_EQ(select_phrases(occurrences, {7, Overlap::kDynamic, Repeat::kSlots}).size(), 7u);
  EXPECT_EQ(select_phrases(occurrences, {20'000, Overlap::kDynamic, Repeat::kShared}).size(),
            10'000u);
  EXPECT_EQ(select_phrases(occurrences, {20'000, Overlap::kLiteral, Repeat::kSlots}).size(), 1u);
}

}  // namespace
}  // namespace phraseq
