#include "core/nn/functional/segments.h"

#include <functional>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nn/functional/reference/segments_reference.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using testing::close;
using testing::normal;

// Segments of 3, 1, 0, 4 and 2 rows.
const SegmentOffsets kOffsets = {0, 3, 4, 4, 8, 10};

Context training() { return {true, Precision::kFp64, 5}; }

/// Runs both forms of a function on the same inputs: equal values and gradients.
using Function = std::function<at::Tensor(const std::vector<at::Tensor>&)>;
void expect_same(const std::vector<at::Tensor>& values,
                 const Function& own,
                 const Function& other) {
  std::vector<at::Tensor> inputs[2], outputs;
  for (int side = 0; side < 2; ++side) {
    for (const at::Tensor& value : values)
      inputs[side].push_back(value.detach().clone().requires_grad_(true));
    outputs.push_back((side == 0 ? own : other)(inputs[side]));
    const at::Tensor up = at::sin(at::arange(outputs[side].numel(), at::kDouble) + 1);
    outputs[side].backward(up.view(outputs[side].sizes()));
  }
  EXPECT_TRUE(close(outputs[0], outputs[1], 1e-13));
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_TRUE(close(inputs[0][i].grad(), inputs[1][i].grad(), 1e-12)) << "input " << i;
}

TEST(Segments, TakeTheMaximumOfTheirRows) {
  const at::Tensor x = at::tensor({1.0, 8.0, 5.0, 2.0, 3.0, 4.0, -1.0, -2.0}).view({4, 2});
  const at::Tensor y = segment_max(x, {0, 3, 3, 4});
  EXPECT_TRUE(close(y, at::tensor({5.0, 8.0, 0.0, 0.0, -1.0, -2.0}).view({3, 2}), 0));
}

TEST(Segments, GiveTheGradientOfAMaximumToTheFirstOfEquals) {
  const at::Tensor x = at::tensor({2.0, 7.0, 7.0}).view({3, 1}).requires_grad_(true);
  segment_max(x, {0, 3}).sum().backward();
  EXPECT_TRUE(close(x.grad(), at::tensor({0.0, 1.0, 0.0}).view({3, 1}), 0));
}

TEST(Segments, TakeTheMeanOfTheirRows) {
  const at::Tensor x = at::tensor({1.0, 2.0, 6.0, 5.0}).view({4, 1});
  EXPECT_TRUE(
      close(segment_mean(x, {0, 3, 3, 4}), at::tensor({3.0, 0.0, 5.0}).view({3, 1}), 1e-15));
}

TEST(Segments, AgreeWithThePaddedView) {
  const at::Tensor x = normal({10, 7}, 1), weights = normal({10}, 2), rest = normal({5, 7}, 3);
  expect_same(
      {x},
      [](auto& in) { return segment_max(in[0], kOffsets); },
      [](auto& in) { return reference::segment_max(in[0], kOffsets); });
  expect_same(
      {x},
      [](auto& in) { return segment_mean(in[0], kOffsets); },
      [](auto& in) { return reference::segment_mean(in[0], kOffsets); });
  expect_same(
      {weights},
      [](auto& in) { return segment_softmax(in[0], kOffsets); },
      [](auto& in) { return reference::segment_softmax(in[0], kOffsets); });
  expect_same(
      {x, weights},
      [](auto& in) { return segment_weighted_sum(in[0], in[1], {}, kOffsets); },
      [](auto& in) { return reference::segment_weighted_sum(in[0], in[1], {}, kOffsets); });
  expect_same(
      {x, weights, rest},
      [](auto& in) { return segment_weighted_sum(in[0], in[1], in[2], kOffsets); },
      [](auto& in) { return reference::segment_weighted_sum(in[0], in[1], in[2], kOffsets); });
}

TEST(Segments, ScoreRowsAsThePaddedViewDoes) {
  for (const double p : {0.0, 0.4}) {
    expect_same(
        {normal({10, 7}, 1), normal({5, 7}, 2), normal({1, 7}, 3)},
        [&](auto& in) {
          Context context = training();
          return segment_scores(in[0], in[1], in[2], kOffsets, p, context);
        },
        [&](auto& in) {
          const uint64_t key = p > 0 ? training().next_dropout_key() : 0;
          return reference::segment_scores(in[0], in[1], in[2], kOffsets, p, key);
        });
  }
}

TEST(Segments, AreZerosByOperatorsWhenNoneHasARow) {
  const SegmentOffsets none = {0, 0, 0};
  const at::Tensor x = at::zeros({0, 3}, at::kDouble), zeros = at::zeros({2, 3}, at::kDouble);
  EXPECT_TRUE(close(reference::segment_max(x, none), zeros, 0));
  EXPECT_TRUE(close(reference::segment_mean(x, none), zeros, 0));
  const at::Tensor scores = at::zeros({0}, at::kDouble), rest = normal({2, 3}, 1);
  EXPECT_EQ(reference::segment_softmax(scores, none).numel(), 0);
  EXPECT_TRUE(close(reference::segment_weighted_sum(x, scores, rest, none), rest, 0));
}

TEST(Segments, KeepTheirSumsInFp32UnderBf16) {
  const at::Tensor x = normal({10, 64}, 1).to(at::kBFloat16),
                   w2 = normal({1, 64}, 3).to(at::kFloat);
  const at::Tensor summary = normal({5, 64}, 2).to(at::kBFloat16);
  Context context(false, Precision::kBf16);
  const at::Tensor scores = segment_scores(x, summary, w2, kOffsets, 0, context);
  EXPECT_EQ(scores.scalar_type(), at::kFloat);
  const at::Tensor exact = reference::segment_scores(
      x.to(at::kDouble), summary.to(at::kDouble), w2.to(at::kDouble), kOffsets, 0, 0);
  EXPECT_TRUE(close(scores, exact, 1e-5));
}

TEST(Segments, RejectOffsetsOfOtherRows) {
  EXPECT_THROW(segment_max(normal({9, 2}, 1), kOffsets), UsageError);
}

}  // namespace
}  // namespace phraseq::nn
