#include "core/translate/hard_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text/dictionary.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(HardAlignment, TakesTheGreatestWeightThatIsNotOfAControlSymbol) {
  Hypothesis hypothesis;
  hypothesis.tokens = {7, 8, kEos};
  hypothesis.attention = {{0.1f, 0.3f, 0.6f}, {0.3f, 0.3f, 0.4f}, {0.0f, 1.0f, 0.0f}};
  const std::vector<int64_t> source{5, 6, kEos};
  EXPECT_THAT(hard_alignment(hypothesis, source),
              ElementsAre(Pair(1, 0), Pair(0, 1)));  // a tie: the first
}

TEST(HardAlignment, CountsWordsOnly) {
  Hypothesis hypothesis;
  hypothesis.tokens = {7, kEos};
  hypothesis.attention = {{0.9f, 0.0f, 0.1f, 0.0f}};
  hypothesis.attention.push_back({0.25f, 0.25f, 0.25f, 0.25f});
  const std::vector<int64_t> source{kBos, 5, 6, kEos};
  EXPECT_THAT(hard_alignment(hypothesis, source), ElementsAre(Pair(1, 0)));
}

TEST(HardAlignment, IsEmptyWithoutAttentionOrWords) {
  Hypothesis hypothesis;
  hypothesis.tokens = {7, kEos};
  EXPECT_TRUE(hard_alignment(hypothesis, std::vector<int64_t>{5, kEos}).empty());
  hypothesis.attention = {{1.0f}, {1.0f}};
  EXPECT_TRUE(hard_alignment(hypothesis, std::vector<int64_t>{kEos}).empty());
}

}  // namespace
}  // namespace phraseq
