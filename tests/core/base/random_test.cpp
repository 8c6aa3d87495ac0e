// Expected values were computed with a separate Python script that follows the authors' C code
// (Blackman & Vigna, prng.di.unimi.it: splitmix64.c, xoshiro256starstar.c) and Lemire 2019, alg. 5.

#include "core/base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using testing::ElementsAre;

TEST(Random, GivesTheNumbersOfItsSeed) {
  Random random(12345);
  EXPECT_EQ(random.next(), 0xbe6a36374160d49bu);
  EXPECT_EQ(random.next(), 0x214aaa0637a688c6u);
}

TEST(Random, DrawsBelowABoundByLemiresMethod) {
  Random random(7);
  std::vector<uint64_t> drawn;
  for (int i = 0; i < 12; ++i) drawn.push_back(random.below(10));
  EXPECT_THAT(drawn, ElementsAre(7, 2, 8, 9, 9, 8, 0, 1, 4, 1, 5, 7));
}

TEST(Random, RejectsDrawsThatWouldFavorSomeNumbers) {
  // With a bound just over 2^63 nearly half of all draws are rejected.
  Random random(5);
  std::vector<uint64_t> drawn;
  for (int i = 0; i < 6; ++i) drawn.push_back(random.below((uint64_t{1} << 63) + 1));
  EXPECT_THAT(drawn,
              ElementsAre(2660124057020295092u,
                          5553229355294069358u,
                          5991011151194742231u,
                          7458586743318756548u,
                          3343815716602316796u,
                          2311280431944903521u));
}

TEST(Random, IsUniformWith53Bits) {
  Random random(3);
  EXPECT_EQ(random.uniform(), 0.690638295117788);
  EXPECT_EQ(random.uniform(), 0.6405810067354607);
  EXPECT_EQ(random.uniform(), 0.21826237328256315);
}

TEST(RandomPermutation, IsFisherYatesFromTheBack) {
  Random random(7);
  EXPECT_THAT(random_permutation(7, random), ElementsAre(0, 5, 2, 3, 6, 1, 4));
  EXPECT_TRUE(random_permutation(0, random).empty());
}

TEST(MixSeeds, DistinguishesItsArguments) {
  EXPECT_EQ(mix_seeds(0, 0), 0xa706dd2f4d197e6fu);
  EXPECT_EQ(mix_seeds(1, 0), 0x5e41ab087439611eu);
  EXPECT_EQ(mix_seeds(0, 1), 0xb382a305f4414f5eu);
  EXPECT_EQ(mix_seeds(42, 7), 0xbc16a3d4cc48678eu);
}

}  // namespace
}  // namespace phraseq
