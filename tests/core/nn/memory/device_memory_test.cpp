#include "core/nn/memory/device_memory.h"

#include <ATen/ops/empty.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/memory/available_memory.h"
#include "core/base/out_of_memory.h"
#include "core/nn/memory/caching_allocator.h"

namespace phraseq::nn {
namespace {

constexpr int64_t kMebibyte = 1 << 20;
const c10::Device kCpu(c10::kCPU);

at::Tensor mebibytes(int64_t count) { return at::empty({count * kMebibyte}, at::kByte); }

class DeviceMemory : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { install_caching_allocator(); }
};

TEST_F(DeviceMemory, CountsWhatIsInUseAndItsPeak) {
  ASSERT_TRUE(counts_memory(kCpu));
  const int64_t before = memory_use(kCpu).now;
  const at::Tensor kept = mebibytes(3);
  reset_peak_memory(kCpu);
  EXPECT_EQ(memory_use(kCpu).peak, memory_use(kCpu).now);
  (void)mebibytes(8);
  const MemoryUse use = memory_use(kCpu);
  // Blocks are rounded up to a quarter of a power of two, and have a header.
  EXPECT_GE(use.now - before, 3 * kMebibyte);
  EXPECT_LE(use.now - before, 4 * kMebibyte);
  EXPECT_GE(use.peak - use.now, 8 * kMebibyte);
  EXPECT_LE(use.peak - use.now, 10 * kMebibyte + 4096);
}

TEST_F(DeviceMemory, RefusesWhatIsAboveALimit) {
  const int64_t now = memory_use(kCpu).now;
  (void)mebibytes(30);  // cached, and so not in use
  {
    const MemoryLimit limit(kCpu, now + 20 * kMebibyte);
    const at::Tensor first = mebibytes(12);
    EXPECT_THROW((void)mebibytes(12), OutOfMemory);
    (void)mebibytes(4);
  }
  (void)mebibytes(30);
}

TEST_F(DeviceMemory, KnowsWhatIsFree) {
  release_memory(kCpu);
  const int64_t free = free_memory(kCpu);
  EXPECT_GT(free, 0);
  EXPECT_LE(free, static_cast<int64_t>(available_memory()) + kMebibyte * 64);
  (void)mebibytes(64);  // cached, and so free
  EXPECT_GT(free_memory(kCpu), free / 2);
}

}  // namespace
}  // namespace phraseq::nn
