#include "core/nn/packed/packed_memory.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace phraseq::nn {
namespace {

uintptr_t address_of(const at::Tensor& taken) {
  return reinterpret_cast<uintptr_t>(taken.const_data_ptr());
}

TEST(PackedMemory, LaysSmallMatricesSideBySideFromCacheLines) {
  PackedMemory memory;
  const at::Tensor first = memory.take(130), second = memory.take(64), third = memory.take(5);
  EXPECT_EQ(address_of(first) % 64, 0U);
  EXPECT_EQ(address_of(second), address_of(first) + 192);
  EXPECT_EQ(address_of(third), address_of(second) + 64);
  EXPECT_EQ(first.nbytes(), 130U);
}

TEST(PackedMemory, GivesALargeMatrixMemoryOfItsOwn) {
  PackedMemory memory;
  const at::Tensor first = memory.take(64);
  const at::Tensor large = memory.take(3 << 20);
  EXPECT_EQ(large.nbytes(), size_t{3} << 20);
  EXPECT_EQ(address_of(memory.take(64)), address_of(first) + 64);
}

TEST(PackedMemory, KeepsAllocationsWhenAChunkIsFull) {
  at::Tensor taken[5];
  {
    PackedMemory memory;
    for (int64_t i = 0; i < 5; ++i) taken[i] = memory.take(700000).fill_(i);
  }
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(taken[i].min().item<int64_t>(), i);
    EXPECT_EQ(taken[i].max().item<int64_t>(), i);
  }
}

}  // namespace
}  // namespace phraseq::nn
