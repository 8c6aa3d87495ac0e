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

TEST(LengthBatches, AreEmptyWithoutSentences) { EXPECT_TRUE(length_batches({}, 5, 5).empty()); }

}  // namespace
}  // namespace phraseq
