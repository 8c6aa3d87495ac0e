#include "core/train/batch_size/largest_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;
using ::testing::SizeIs;

constexpr int64_t kBytes = 1'000'000;

TEST(LargestBatch, UsesAtLeast95PercentOfTheMemoryIfTheNeedIsProportional) {
  for (const int64_t each : {1, 7, 90, 4000, 300'000}) {
    const int64_t fits = kBytes / each;
    const auto found = find_largest_batch({1, 2'000'000, kBytes},
                                          [&](int64_t size) { return std::optional(size * each); });
    EXPECT_LE(found.size, fits) << each;
    EXPECT_GE(found.size * 20, fits * 19 - 20) << each;
    EXPECT_EQ(found.bytes, found.size * each);
    EXPECT_THAT(found.tried, SizeIs(Le(14U))) << each;
  }
}

/// Attention needs memory in proportion to the square of a length, and a model needs a constant
/// amount.
TEST(LargestBatch, IsFoundWhereTheNeedIsNotLinear) {
  const auto need = [](int64_t size) { return 20'000 + 9 * size + size * size / 50; };
  const auto found = find_largest_batch({10, 100'000, kBytes},
                                        [&](int64_t size) { return std::optional(need(size)); });
  EXPECT_LE(need(found.size), kBytes);
  EXPECT_GT(need(found.size + found.size / 20 + 1), kBytes);
  EXPECT_THAT(found.tried, SizeIs(Le(14U)));
}

/// The driver of a GPU may refuse memory before all bytes are used.
TEST(LargestBatch, IsBelowASizeThatHasNoMemory) {
  const auto found = find_largest_batch({1, 5000, kBytes}, [](int64_t size) {
    return size > 777 ? std::nullopt : std::optional<int64_t>(size);
  });
  EXPECT_LE(found.size, 777);
  EXPECT_GE(found.size, 777 * 19 / 20);
}

TEST(LargestBatch, GrowsAtMostFourfoldAndStopsAtTheLargest) {
  const auto nothing = [](int64_t) { return std::optional<int64_t>(0); };
  EXPECT_THAT(find_largest_batch({3, 100, kBytes}, nothing).tried, ElementsAre(3, 12, 48, 100));
  EXPECT_EQ(find_largest_batch({3, 100, kBytes}, nothing).size, 100);
  EXPECT_EQ(find_largest_batch({5, 5, kBytes}, nothing).size, 5);
}

TEST(LargestBatch, IsNoneWhenTheSmallestDoesNotFit) {
  const auto none = find_largest_batch({6, 50, kBytes}, [](int64_t) { return std::nullopt; });
  EXPECT_EQ(none.size, 0);
  EXPECT_THAT(none.tried, ElementsAre(6));
  const auto large = [](int64_t) { return std::optional<int64_t>(kBytes + 1); };
  EXPECT_EQ(find_largest_batch({6, 50, kBytes}, large).size, 0);
}

}  // namespace
}  // namespace phraseq
