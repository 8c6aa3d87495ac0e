#include "core/distributed/c10d_group.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/distributed/backends/nccl_backend.h"
#include "tests/core/distributed/as_ranks.h"

namespace phraseq {
namespace {

using phraseq::testing::as_ranks;
using phraseq::testing::as_ranks_at;

TEST(C10dGroup, GivesEveryoneTheTextsOfAllShortAndLong) {
  as_ranks(3, [](ProcessGroup& group) {
    const auto text_of = [](int rank, size_t length) {
      return std::string(length, static_cast<char>('a' + rank)) + std::string("\0x", 2);
    };
    for (const size_t length : {0U, 5U, 2046U, 2047U, 100'000U}) {
      const auto texts =
          group.all_texts(text_of(group.rank(), length * static_cast<size_t>(group.rank())));
      ASSERT_EQ(texts.size(), 3U);
      for (int rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(texts[static_cast<size_t>(rank)],
                  text_of(rank, length * static_cast<size_t>(rank)));
      }
    }
    EXPECT_EQ(group.text_of_first(group.is_first() ? "yes" : "no"), "yes");
    group.finish();
  });
}

TEST(C10dGroup, OverwritesATensorByThatOfTheFirst) {
  as_ranks(2, [](ProcessGroup& group) {
    at::Tensor tensor = at::full({3, 5}, group.rank() + 7.0);
    group.take_from_first(tensor);
    EXPECT_TRUE(tensor.equal(at::full({3, 5}, 7.0)));
  });
}

/// The addend of rank `rank`: numbers whose sum depends on the order.
at::Tensor part_of(int rank, int64_t elements, at::ScalarType type) {
  const at::Tensor indices = at::arange(elements, at::TensorOptions(at::kDouble));
  return (at::sin(indices * (rank + 1)) * at::exp(at::cos(indices) * 6)).to(type);
}

at::Tensor sum_of_parts(const std::vector<int>& ranks, int64_t elements, at::ScalarType type) {
  at::Tensor sum = part_of(ranks.front(), elements, type);
  for (size_t i = 1; i < ranks.size(); ++i) sum = sum + part_of(ranks[i], elements, type);
  return sum;
}

TEST(C10dGroup, AddsInTheOrderOfRanksToTheSameBits) {
  as_ranks(4, [](ProcessGroup& group) {
    const auto expect_sum = [&](int64_t elements, at::ScalarType type) {
      at::Tensor values = part_of(group.rank(), elements, type);
      group.sum_in_rank_order(values, {true, true, true, true}, Wire::kSame);
      EXPECT_TRUE(values.equal(sum_of_parts({0, 1, 2, 3}, elements, type))) << elements;
    };
    for (const int64_t elements : {1, 3, 4, 1001}) {
      expect_sum(elements, at::kFloat);
      expect_sum(elements, at::kDouble);
    }
    expect_sum((1 << 22) + 5, at::kFloat);  // more than is sent at a time
    at::Tensor some = part_of(group.rank(), 77, at::kFloat);
    group.sum_in_rank_order(some, {false, true, false, true}, Wire::kSame);
    EXPECT_TRUE(some.equal(sum_of_parts({1, 3}, 77, at::kFloat)));
    group.sum_in_rank_order(some, {false, false, false, false}, Wire::kSame);
    EXPECT_TRUE(some.equal(at::zeros({77})));
  });
  // The order matters for these numbers, or the test could not fail.
  EXPECT_FALSE(sum_of_parts({3, 2, 1, 0}, 1001, at::kFloat)
                   .equal(sum_of_parts({0, 1, 2, 3}, 1001, at::kFloat)));
}

TEST(C10dGroup, RoundsToBf16OnTheWireAndAddsInFullPrecision) {
  as_ranks(3, [](ProcessGroup& group) {
    at::Tensor values = part_of(group.rank(), 501, at::kFloat);
    group.sum_in_rank_order(values, {true, true, true}, Wire::kBf16);
    at::Tensor expected = at::zeros({501});
    for (int rank = 0; rank < 3; ++rank)
      expected = expected + part_of(rank, 501, at::kFloat).to(at::kBFloat16).to(at::kFloat);
    EXPECT_TRUE(values.equal(expected.to(at::kBFloat16).to(at::kFloat)));
  });
}

/// A buffer of all shards, in which element i is i + 1.
at::Tensor whole_buffer(int64_t elements, at::ScalarType type) {
  return at::arange(elements, at::TensorOptions(type)) + 1;
}

/// Parameters: the number of elements, and how many of them each rank has at most.
class ShardsOfRanks : public ::testing::TestWithParam<std::pair<int64_t, int64_t>> {};

TEST_P(ShardsOfRanks, AreGatheredByAll) {
  const auto [elements, shard_size] = GetParam();
  as_ranks(3, [elements = elements, shard_size = shard_size](ProcessGroup& group) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      at::Tensor values = at::zeros({elements}, type);
      const int64_t begin = std::min(group.rank() * shard_size, elements);
      const int64_t length = std::min(shard_size, elements - begin);
      values.narrow(0, begin, length).copy_(whole_buffer(elements, type).narrow(0, begin, length));
      group.gather_shards(values, shard_size);
      EXPECT_TRUE(values.equal(whole_buffer(elements, type)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(EqualShorterAndEmpty,
                         ShardsOfRanks,
                         ::testing::Values(std::pair(12, 4),
                                           std::pair(11, 4),
                                           std::pair(5, 4),
                                           std::pair(3, 4),
                                           std::pair((1 << 22) + 7, (1 << 21) - 3)));

// Two commands of one torchrun: "phraseq train … && phraseq train …".
TEST(C10dGroup, MeetsAgainAtAStoreThatOutlivesARun) {
  const LocalStore store = start_local_store();
  for (int run = 0; run < 2; ++run) {
    as_ranks_at(store, 2, [](ProcessGroup& group) {
      EXPECT_EQ(group.all_texts("x").size(), 2U);
      group.finish();
    });
  }
}

TEST(C10dGroup, RejectsNcclWhereItCannotWork) {
  DistributedOptions options;
  options.backend = DistributedBackend::kNccl;
  try {
    join_processes({}, options, at::kCPU);
    FAIL();
  } catch (const UsageError& failure) {
    EXPECT_THAT(failure.message(),
                ::testing::HasSubstr(has_nccl() ? "needs a GPU for each process; this one computes "
                                                  "on the device cpu"
                                                : "this build has no NCCL"));
  }
}

TEST(C10dGroup, AddsOnAGpuWithNccl) {
  if (!has_nccl() || !at::hasCUDA() || at::getNumGPUs() < 1)
    GTEST_SKIP() << "needs a GPU and a LibTorch with NCCL";
  const LocalStore store = start_local_store();
  Placement placement;
  placement.address = "127.0.0.1";
  placement.port = store.port;
  placement.store_is_running = true;
  DistributedOptions options;
  options.backend = DistributedBackend::kNccl;
  const auto group = join_processes(placement, options, at::Device(at::kCUDA, 0));
  at::Tensor values = part_of(1, 1001, at::kFloat).cuda();
  group->sum_in_rank_order(values, {true}, Wire::kSame);
  EXPECT_TRUE(values.cpu().equal(part_of(1, 1001, at::kFloat)));
  group->gather_shards(values, 1001);
  EXPECT_TRUE(values.cpu().equal(part_of(1, 1001, at::kFloat)));
  group->finish();
}

TEST(C10dGroup, ReportsTheReasonOfAFailureToTheOthers) {
  as_ranks(2, [](ProcessGroup& group) {
    if (group.rank() == 1) {
      group.report_failure("the disk is full", /*is_own=*/true);
      return;
    }
    try {
      for (;;) (void)group.all_texts("x");
    } catch (const RankFailure& failure) {
      EXPECT_EQ(failure.message(), "rank 0 stops: rank 1 failed: the disk is full");
      group.report_failure(failure.message(), /*is_own=*/false);
    }
  });
}

}  // namespace
}  // namespace phraseq
