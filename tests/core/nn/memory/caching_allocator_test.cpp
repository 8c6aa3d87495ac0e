#include "core/nn/memory/caching_allocator.h"

#include <cstdint>
#include <thread>

#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

/// Installs the allocator for the whole test program; from then on, tensors from both allocators
/// coexist.
class CachingAllocator : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { install_caching_allocator(); }
};

TEST_F(CachingAllocator, GivesAFreedLargeBlockToTheNextOfItsSize) {
  const void* first = at::empty({300000}, at::kFloat).const_data_ptr();
  const at::Tensor second = at::empty({299000}, at::kFloat);
  EXPECT_EQ(second.const_data_ptr(), first);
}

TEST_F(CachingAllocator, GivesAFreedSmallBlockToTheNextOfItsPowerOfTwo) {
  const void* first = at::empty({300}, at::kByte).const_data_ptr();
  const at::Tensor second = at::empty({440}, at::kByte), third = at::empty({300}, at::kByte);
  EXPECT_EQ(second.const_data_ptr(), first);
  EXPECT_NE(third.const_data_ptr(), first);
}

TEST_F(CachingAllocator, LetsAThreadFreeSmallBlocksOfAnotherThatHasEnded) {
  std::vector<at::Tensor> made;
  std::thread([&] {
    for (int64_t i = 0; i < 2000; ++i) made.push_back(at::full({i % 200}, i, at::kInt));
  }).join();
  for (int64_t i = 0; i < 2000; ++i) {
    if (i % 200 > 0) {
      EXPECT_EQ(made[static_cast<size_t>(i)].min().item<int>(), i);
    }
  }
  made.clear();
}

TEST_F(CachingAllocator, AlignsEverySizeToACacheLine) {
  for (const int64_t size :
       {1, 63, 192, 193, 65471, 65473, 65535, 65536, 65537, 2097152, 3000001}) {
    const at::Tensor bytes = at::empty({size}, at::kByte);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes.const_data_ptr()) % 64, 0U) << size;
    bytes.fill_(7);
  }
}

TEST_F(CachingAllocator, NeverHandsOutOverlappingBlocks) {
  std::vector<at::Tensor> held;
  for (int64_t i = 0; i < 60; ++i) held.push_back(at::full({50000 + 977 * i}, i, at::kInt));
  for (int64_t i = 0; i < 60; i += 2) held[i] = at::full({90000 - 977 * i}, i, at::kInt);
  for (int64_t i = 0; i < 60; ++i) {
    EXPECT_EQ(held[i].min().item<int>(), i);
    EXPECT_EQ(held[i].max().item<int>(), i);
  }
}

TEST_F(CachingAllocator, LetsOneThreadFreeWhatAnotherAllocated) {
  at::Tensor made;
  std::thread([&] { made = at::ones({123457}, at::kFloat); }).join();
  const void* block = made.const_data_ptr();
  EXPECT_EQ(made.sum().item<float>(), 123457.0F);
  made = at::Tensor();
  EXPECT_EQ(at::empty({123457}, at::kFloat).const_data_ptr(), block);
  release_cached_memory();
}

TEST_F(CachingAllocator, AllocatesNothingForZeroBytes) {
  EXPECT_EQ(at::empty({0}, at::kFloat).const_data_ptr(), nullptr);
}

}  // namespace
}  // namespace phraseq::nn
