#include "core/translate/length_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using testing::ElementsAre;

const std::vector<int64_t> kLengths{3, 9, 5, 9, 2, 5};

TEST(LengthBatches, PutTheLongestFirstWithinTheTokenBudget) {
  EXPECT_THAT(length_batches(kLengths, 14, 0),
              ElementsAre(ElementsAre(1), ElementsAre(3, 2), ElementsAre(5, 0, 4)));
}

TEST(LengthBatches, PutALongSentenceIntoItsOwnBatch) {
  EXPECT_THAT(
      length_batches(kLengths, 6, 0),
      ElementsAre(
          ElementsAre(1), ElementsAre(3), ElementsAre(2), ElementsAre(5), ElementsAre(0, 4)));
}

TEST(LengthBatches, KeepTheNumberOfSentences) {
  EXPECT_THAT(length_batches(kLengths, 0, 4),
              ElementsAre(ElementsAre(1, 3, 2, 5), ElementsAre(0, 4)));
  EXPECT_THAT(length_batches(kLengths, 0, 0), ElementsAre(ElementsAre(1, 3, 2, 5, 0, 4)));
}

TEST(LengthBatches, DivideFewSentencesAmongTheWorkers) {
  // 33 tokens are 17 for each of two workers, which a batch may exceed by 8: the longest sentence
  // has 9.
  EXPECT_THAT(length_batches(kLengths, 100, 0, 2),
              ElementsAre(ElementsAre(1, 3, 2), ElementsAre(5, 0, 4)));
  EXPECT_EQ(length_batches(kLengths, 0, 0, 2), length_batches(kLengths, 100, 0, 2));
  EXPECT_EQ(length_batches(kLengths, 14, 0, 2), length_batches(kLengths, 14, 0));
  for (int64_t workers = 1; workers < 9; ++workers)
    EXPECT_LE(length_batches(kLengths, 0, 0, workers).size(), static_cast<size_t>(workers));
}

TEST(LengthBatches, AreEmptyWithoutSentences) {
  EXPECT_TRUE(length_batches({}, 5, 5).empty());
  EXPECT_TRUE(length_batches({}, 5, 5, 2).empty());
}

}  // namespace
}  // namespace phraseq
