#include "core/score/significance/pcg64.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq::score {
namespace {

using testing::ElementsAre;

std::vector<uint32_t> draw(uint64_t bound, int count) {
  Pcg64 generator(12345);
  std::vector<uint32_t> numbers;
  while (count-- > 0) numbers.push_back(generator.below(bound));
  return numbers;
}

// Expected values: NumPy's default_rng(12345).
TEST(Pcg64, IsSeededAsNumpySeedsIt) {
  const Pcg64 generator(12345);
  EXPECT_EQ(generator.state(), "33261208707367790463622745601869196757");
  EXPECT_EQ(generator.increment(), "268209174141567072605526753992732310247");
}

TEST(Pcg64, DrawsNumpysNumbers) {
  Pcg64 generator(12345);
  EXPECT_EQ(generator.next(), 0x3a32b18db2ffc19dU);
  EXPECT_EQ(generator.next(), 0x51171315c9e4c4deU);
  EXPECT_EQ(generator.next(), 0xcc2024823444efd9U);
  EXPECT_EQ(generator.next(), 0xad1f06aea486e910U);
}

TEST(Pcg64, DrawsNumpysBoundedNumbers) {
  EXPECT_THAT(draw(10, 10), ElementsAre(6, 2, 7, 3, 2, 7, 6, 6, 9, 3));
  EXPECT_THAT(draw(3003, 8), ElementsAre(2099, 682, 2368, 951, 613, 2394, 1929, 2030));
  EXPECT_THAT(draw(1, 3), ElementsAre(0, 0, 0));
}

TEST(Pcg64, DrawsNumpysBits) {
  Pcg64 generator(12345);
  RandomBits bits(generator);
  std::vector<uint8_t> found(16);
  bits.fill(std::span(found).first(5));
  bits.fill(std::span(found).subspan(5));
  EXPECT_THAT(found, ElementsAre(1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1));
}

}  // namespace
}  // namespace phraseq::score
