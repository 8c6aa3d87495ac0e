#include "core/distributed/reduction/overlapped_sum.h"

#include <chrono>
#include <future>
#include <thread>

#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "tests/core/distributed/as_ranks.h"

namespace phraseq {
namespace {

using phraseq::testing::as_ranks;

/// Numbers that depend on `seed` and whose sums depend on the order.
at::Tensor numbers(at::IntArrayRef sizes, int seed) {
  int64_t elements = 1;
  for (const int64_t size : sizes) elements *= size;
  const at::Tensor indices = at::arange(elements, at::TensorOptions(at::kDouble));
  return (at::sin(indices * (seed + 1.3)) * at::exp(at::cos(indices) * 3))
      .to(at::kFloat)
      .view(sizes);
}

/// A model with a table that is used as embeddings and as output layer, two layers with biases, and
/// a parameter that gets no gradient. Flat order: table, first, second, unused, then the biases.
struct SmallModel : torch::nn::Module {
  at::Tensor table = register_parameter("table", numbers({9, 5}, 1));
  at::Tensor first_bias = register_parameter("first_bias", numbers({5}, 2));
  at::Tensor first = register_parameter("first", numbers({5, 5}, 3));
  at::Tensor second = register_parameter("second", numbers({5, 5}, 4));
  at::Tensor second_bias = register_parameter("second_bias", numbers({5}, 5));
  at::Tensor unused = register_parameter("unused", numbers({2, 3}, 6));

  at::Tensor embedded, hidden;

  at::Tensor loss(int batch) {
    embedded = at::matmul(numbers({4, 9}, 10 + batch), table);
    hidden = at::tanh(at::matmul(embedded, first) + first_bias);
    const at::Tensor y = at::tanh(at::matmul(hidden, second) + second_bias);
    return at::matmul(y, table.t()).square().sum();
  }
};

struct Rank {
  explicit Rank(ProcessGroup& processes, int64_t most = 30, Wire wire = Wire::kSame)
      : group(processes),
        flat(model, /*with_gradients=*/true),
        sum(processes, flat, most, wire),
        wire_(wire) {}

  /// The gradient of one batch: [elements].
  at::Tensor gradient_of(int batch) {
    flat.zero_gradients();
    model.loss(batch).backward();
    return flat.gradients().clone();
  }
  /// The sum after the pass, to which the overlapped one is compared.
  at::Tensor sum_of(at::Tensor mine, const std::vector<bool>& contributes) {
    group.sum_in_rank_order(mine, contributes, wire_);
    return mine;
  }

  ProcessGroup& group;
  SmallModel model;
  nn::FlatParameters flat;
  OverlappedSum sum;
  Wire wire_;
};

TEST(BucketPlan, FollowsTheMatricesInReverseAndThenTheVectors) {
  SmallModel model;
  const nn::FlatParameters flat(model, /*with_gradients=*/true);
  // table 45, first 25, second 25, unused 6: 101, of which the vectors begin at 112.
  const BucketPlan plan = plan_buckets(flat, 36);
  const auto expect_bucket = [&](size_t number, int64_t begin, int64_t elements, int64_t count) {
    EXPECT_EQ(plan.buckets[number].begin, begin) << number;
    EXPECT_EQ(plan.buckets[number].elements, elements) << number;
    EXPECT_EQ(plan.buckets[number].parameters, count) << number;
  };
  ASSERT_EQ(plan.buckets.size(), 5U);
  expect_bucket(0, 95, 17, 1);   // unused, and the gap before the vectors
  expect_bucket(1, 70, 25, 1);   // second
  expect_bucket(2, 45, 25, 1);   // first
  expect_bucket(3, 0, 45, 1);    // table, larger than a bucket
  expect_bucket(4, 112, 16, 2);  // the biases, and the gap at the end
  EXPECT_EQ(plan.bucket_of, (std::vector<size_t>{3, 2, 1, 0, 4, 4}));
}

TEST(BucketPlan, HoldsSeveralParametersInABucket) {
  SmallModel model;
  model.second.set_requires_grad(false);
  const nn::FlatParameters flat(model, /*with_gradients=*/true);
  const BucketPlan plan = plan_buckets(flat, 70);
  ASSERT_EQ(plan.buckets.size(), 3U);
  EXPECT_EQ(plan.buckets[0].begin, 45);
  EXPECT_EQ(plan.buckets[0].elements, 67);
  EXPECT_EQ(plan.buckets[0].parameters, 2) << "a constant gets no gradient";
  EXPECT_EQ(plan_buckets(flat, 1'000'000).buckets.size(), 2U);
}

/// Parameter: the type in which gradients are sent.
class OverlappedSumTest : public ::testing::TestWithParam<Wire> {};

INSTANTIATE_TEST_SUITE_P(Wires, OverlappedSumTest, ::testing::Values(Wire::kSame, Wire::kBf16));

TEST_P(OverlappedSumTest, HasTheSameBitsAsASumAfterThePass) {
  as_ranks(3, [](ProcessGroup& group) {
    for (const int64_t most : {1, 30, 1000}) {
      Rank rank(group, most, GetParam());
      for (int update = 0; update < 3; ++update) {
        const int batch = 3 * update + group.rank();
        const std::vector<bool> all = {true, true, true};
        const at::Tensor expected = rank.sum_of(rank.gradient_of(batch), all);
        rank.sum.begin(all);
        rank.sum.arm({});
        rank.gradient_of(batch);
        rank.sum.finish();
        EXPECT_FALSE(rank.sum.is_spoiled());
        rank.sum.take();
        EXPECT_TRUE(rank.flat.gradients().equal(expected)) << most;
        EXPECT_GT(expected.abs().sum().item<float>(), 0);
      }
    }
  });
}

/// Meta tensors are not on the CPU, and their device has no streams.
struct ModelWithoutStreams : torch::nn::Module {
  at::Tensor table = register_parameter("table", at::zeros({3, 5}, at::TensorOptions(at::kMeta)));
};

TEST(OverlappedSum, PassesOnThatThereIsNoStream) {
  as_ranks(1, [](ProcessGroup& group) {
    ModelWithoutStreams model;
    nn::FlatParameters flat(model, /*with_gradients=*/true);
    OverlappedSum sum(group, flat, 30, Wire::kSame);
    bool has_failed = false;
    for (int tries = 0; tries < 1000 && !has_failed; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      try {
        sum.finish();
      } catch (const c10::Error&) {
        has_failed = true;
      }
    }
    EXPECT_TRUE(has_failed);
  });
}

TEST(OverlappedSum, HandsBucketsOverWhileThePassRuns) {
  as_ranks(2, [](ProcessGroup& group) {
    Rank rank(group);
    rank.model.unused.set_requires_grad(false);
    OverlappedSum sum(group, rank.flat, 30, Wire::kSame);
    // In reverse: unused, second, first, table, biases.
    size_t at_hidden = 99, at_embedded = 99;
    sum.begin({true, true});
    sum.arm({});
    const at::Tensor loss = rank.model.loss(group.rank());
    rank.model.hidden.register_hook([&](const at::Tensor&) { at_hidden = sum.handed_over(); });
    rank.model.embedded.register_hook([&](const at::Tensor&) { at_embedded = sum.handed_over(); });
    loss.backward();
    const size_t at_the_end = sum.handed_over();
    sum.finish();
    EXPECT_EQ(sum.buckets(), 5U);
    EXPECT_LT(at_hidden, at_embedded);
    EXPECT_EQ(at_embedded, 3U) << "the layers above the embeddings are under way";
    EXPECT_EQ(at_the_end, 5U);
  });
}

TEST(OverlappedSum, WaitsForAParameterWithoutAGradient) {
  as_ranks(2, [](ProcessGroup& group) {
    Rank rank(group);  // "unused" is in the first bucket
    const std::vector<bool> all = {true, true};
    const at::Tensor expected = rank.sum_of(rank.gradient_of(group.rank()), all);
    rank.sum.begin(all);
    rank.sum.arm({});
    rank.gradient_of(group.rank());
    EXPECT_EQ(rank.sum.handed_over(), 0U);
    rank.sum.finish();
    rank.sum.take();
    EXPECT_TRUE(rank.flat.gradients().equal(expected));
  });
}

TEST(OverlappedSum, AddsTheGradientsOfEarlierBatches) {
  as_ranks(2, [](ProcessGroup& group) {
    Rank rank(group);
    const std::vector<bool> all = {true, true};
    const at::Tensor earlier = rank.gradient_of(10 + group.rank());
    const at::Tensor expected = rank.sum_of(rank.gradient_of(group.rank()) + earlier, all);
    rank.sum.begin(all);
    rank.gradient_of(20);  // not the last one: nothing is handed over
    EXPECT_EQ(rank.sum.handed_over(), 0U);
    rank.sum.arm(earlier);
    rank.gradient_of(group.rank());
    rank.sum.finish();
    rank.sum.take();
    EXPECT_TRUE(rank.flat.gradients().equal(expected));
  });
}

TEST(OverlappedSum, TakesPartWithoutABatch) {
  as_ranks(3, [](ProcessGroup& group) {
    Rank rank(group);
    const std::vector<bool> some = {true, false, true};
    const at::Tensor expected = rank.sum_of(rank.gradient_of(group.rank()), some);
    rank.sum.begin(some);
    if (group.rank() != 1) {
      rank.sum.arm({});
      rank.gradient_of(group.rank());
    }
    rank.sum.finish();
    rank.sum.finish();  // does nothing the second time
    rank.sum.take();
    EXPECT_TRUE(rank.flat.gradients().equal(expected));
  });
}

TEST(OverlappedSum, IsSpoiledByARepeatedPass) {
  as_ranks(2, [](ProcessGroup& group) {
    Rank rank(group, 30);
    rank.model.unused.set_requires_grad(false);
    OverlappedSum sum(group, rank.flat, 30, Wire::kSame);
    const std::vector<bool> all = {true, true};
    const at::Tensor expected = rank.sum_of(rank.gradient_of(group.rank()), all);
    sum.begin(all);
    sum.arm({});
    if (group.rank() == 0) {
      rank.gradient_of(7);  // a failed attempt, up to its failure
      sum.abandon();
      EXPECT_TRUE(sum.is_spoiled());
      sum.arm({});
    }
    const at::Tensor mine = rank.gradient_of(group.rank());
    sum.finish();
    EXPECT_EQ(sum.is_spoiled(), group.rank() == 0);
    EXPECT_TRUE(rank.flat.gradients().equal(mine)) << "the gradients are still needed";
    EXPECT_TRUE(rank.sum_of(mine, all).equal(expected));
    // The next update is a new one.
    sum.begin(all);
    sum.arm({});
    rank.gradient_of(group.rank());
    sum.finish();
    EXPECT_FALSE(sum.is_spoiled());
    sum.take();
    EXPECT_TRUE(rank.flat.gradients().equal(expected));
  });
}

/// Delays its first sum until `go_on`, and records its arguments from then on.
class SlowGroup final : public ProcessGroup {
 public:
  SlowGroup() : ProcessGroup(0, 1) {}
  std::vector<std::string> all_texts(const std::string& mine) override { return {mine}; }
  void take_from_first(at::Tensor& /*tensor*/) override {}
  void sum_into(at::Tensor& /*sums*/,
                const at::Tensor& mine,
                const std::vector<bool>& /*contributes*/,
                Wire /*wire*/) override {
    if (given.empty())
      go_on.get_future().wait();
    given.push_back(mine.clone());
  }
  void gather_shards(at::Tensor& /*values*/, int64_t /*shard_size*/) override {}

  std::promise<void> go_on;
  std::vector<at::Tensor> given;
};

TEST(OverlappedSum, KeepsTheSumsOfEarlierBatchesForTheBucketsUnderWay) {
  SlowGroup group;
  Rank rank(group, 30);
  rank.model.unused.set_requires_grad(false);
  OverlappedSum sum(group, rank.flat, 30, Wire::kSame);
  const at::Tensor earlier = at::full_like(rank.flat.gradients(), 1e9);
  sum.begin({true});
  sum.arm(earlier);
  rank.gradient_of(7);
  std::thread releasing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // `abandon` waits by then
    group.go_on.set_value();
  });
  sum.abandon();
  releasing.join();
  ASSERT_EQ(group.given.size(), sum.buckets());
  for (const at::Tensor& given : group.given) EXPECT_GT(given.min().item<float>(), 5e8F);
}

TEST(OverlappedSum, IsNotSpoiledByAPassThatFailsBeforeItsFirstGradient) {
  as_ranks(2, [](ProcessGroup& group) {
    Rank rank(group);
    const std::vector<bool> all = {true, true};
    const at::Tensor expected = rank.sum_of(rank.gradient_of(group.rank()), all);
    rank.sum.begin(all);
    rank.sum.arm({});
    rank.sum.abandon();
    EXPECT_FALSE(rank.sum.is_spoiled());
    rank.sum.arm({});
    rank.gradient_of(group.rank());
    rank.sum.finish();
    rank.sum.take();
    EXPECT_TRUE(rank.flat.gradients().equal(expected));
  });
}

TEST(OverlappedSum, ThrowsWhatTheSumThrew) {
  as_ranks(2, [](ProcessGroup& group) {
    Rank rank(group);
    if (group.rank() == 1) {
      group.report_failure("the disk is full", /*is_own=*/true);
      return;
    }
    rank.sum.begin({true, true});
    EXPECT_THROW(rank.sum.finish(), RankFailure);
    group.report_failure("the other one is gone", /*is_own=*/false);
  });
}

}  // namespace
}  // namespace phraseq
