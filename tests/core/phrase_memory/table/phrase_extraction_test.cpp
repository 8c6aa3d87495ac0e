#include "core/phrase_memory/table/phrase_extraction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Pair = PhrasePair;

TEST(ConsistentPairs, HaveNoLinkToTheOutside) {
  // 0-0 1-2 2-1: the translation of the third word is between those of the first two.
  EXPECT_THAT(consistent_pairs({{0, 0}, {1, 2}, {2, 1}}, 3, 7),
              ElementsAre(Pair{0, 1, 0, 1},
                          Pair{0, 3, 0, 3},
                          Pair{1, 1, 2, 1},
                          Pair{1, 2, 1, 2},
                          Pair{2, 1, 1, 1}));
}

TEST(ConsistentPairs, KeepTogetherWhatIsAlignedToOneWord) {
  EXPECT_THAT(consistent_pairs({{0, 0}, {1, 0}}, 2, 7), ElementsAre(Pair{0, 2, 0, 1}));
  EXPECT_THAT(consistent_pairs({{0, 0}, {0, 2}}, 1, 7), ElementsAre(Pair{0, 1, 0, 3}));
}

TEST(ConsistentPairs, IncludeUnalignedSourceWordsButNoTargetWordsAtTheEdge) {
  // Source word 1 and target words 0 and 2 are not aligned.
  EXPECT_THAT(consistent_pairs({{0, 1}}, 2, 7), ElementsAre(Pair{0, 1, 1, 1}, Pair{0, 2, 1, 1}));
}

TEST(ConsistentPairs, AreAtMostAsLongAsAllowed) {
  const WordAlignment diagonal = {{0, 0}, {1, 1}, {2, 2}};
  EXPECT_EQ(consistent_pairs(diagonal, 3, 7).size(), 6u);
  EXPECT_EQ(consistent_pairs(diagonal, 3, 2).size(), 5u);
  EXPECT_EQ(consistent_pairs(diagonal, 3, 1).size(), 3u);
  EXPECT_THAT(consistent_pairs({{0, 0}, {0, 2}}, 1, 2), IsEmpty());  // three target words
}

TEST(ConsistentPairs, OfNoLinksAreNone) {
  EXPECT_THAT(consistent_pairs({}, 3, 7), IsEmpty());
  EXPECT_THAT(consistent_pairs({}, 0, 7), IsEmpty());
}

}  // namespace
}  // namespace phraseq
