#include "core/nn/functional/attention.h"

#include "tests/core/nn/functional/padded_attention.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::close;
using phraseq::testing::expect_gradient;
using phraseq::testing::leaf;
using phraseq::testing::normal;
using phraseq::testing::padded_attention;
using phraseq::testing::sentences;

/// Attention of one head of one sentence, straight from the equation.
at::Tensor plain_attention(
    const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale, bool causal) {
  at::Tensor scores = at::mm(q, k.t()) * scale;
  if (causal) {
    const at::Tensor future = at::ones(scores.sizes(), at::kBool).triu(1);
    scores = scores.masked_fill(future, -1e30);
  }
  return at::mm(at::softmax(scores, 1), v);
}

/// Computes packed rows sentence by sentence and head by head.
at::Tensor expected_attention(const at::Tensor& q,
                              const at::Tensor& k,
                              const at::Tensor& v,
                              const PackedTokens& queries,
                              const PackedTokens& keys,
                              const AttentionOptions& options) {
  const int64_t width = q.size(1) / options.heads;
  std::vector<at::Tensor> rows;
  for (int64_t s = 0; s < queries.sentences(); ++s) {
    const auto part = [&](const at::Tensor& x, const PackedTokens& packed, int64_t head) {
      return x.narrow(0, packed.offsets[s], packed.offsets[s + 1] - packed.offsets[s])
          .narrow(1, head * width, width);
    };
    std::vector<at::Tensor> heads;
    for (int64_t h = 0; h < options.heads; ++h) {
      heads.push_back(part(k, keys, h).size(0) == 0 ? at::zeros_like(part(q, queries, h))
                                                    : plain_attention(part(q, queries, h),
                                                                      part(k, keys, h),
                                                                      part(v, keys, h),
                                                                      options.scale,
                                                                      options.causal));
    }
    rows.push_back(at::cat(heads, 1));
  }
  return at::cat(rows, 0);
}

TEST(SelfAttention, EqualsTheEquationWithGradients) {
  const PackedTokens tokens = sentences({3, 1, 7, 2});
  for (const bool causal : {false, true}) {
    const AttentionOptions options{3, 0.37, 0.0, causal};
    Context context(true, Precision::kFp64);
    const at::Tensor a = leaf(normal({13, 45}, 1)), b = leaf(normal({13, 45}, 1));
    const at::Tensor up = normal({13, 15}, 2);
    const at::Tensor own = self_attention(a, tokens, options, context);
    const auto parts = b.chunk(3, 1);
    const at::Tensor expected =
        expected_attention(parts[2], parts[0], parts[1], tokens, tokens, options);
    own.backward(up);
    expected.backward(up);
    EXPECT_TRUE(close(own, expected, 1e-13)) << causal;
    EXPECT_TRUE(close(a.grad(), b.grad(), 1e-13)) << causal;
  }
}

TEST(CrossAttention, EqualsTheEquationAndGivesZerosWithoutKeys) {
  const PackedTokens queries = sentences({2, 5, 1, 3}), keys = sentences({4, 0, 1, 6});
  const AttentionOptions options{2, 0.5, 0.0, false};
  Context context(true, Precision::kFp64);
  const at::Tensor q[] = {leaf(normal({11, 6}, 1)), leaf(normal({11, 6}, 1))};
  const at::Tensor kv[] = {leaf(normal({11, 12}, 2)), leaf(normal({11, 12}, 2))};
  const at::Tensor up = normal({11, 6}, 3);
  const at::Tensor own = cross_attention(q[0], kv[0], queries, keys, options, context);
  const auto parts = kv[1].chunk(2, 1);
  const at::Tensor expected = expected_attention(q[1], parts[0], parts[1], queries, keys, options);
  own.backward(up);
  expected.backward(up);
  EXPECT_TRUE(close(own, expected, 1e-13));
  EXPECT_TRUE(close(q[0].grad(), q[1].grad(), 1e-13));
  EXPECT_TRUE(close(kv[0].grad(), kv[1].grad(), 1e-13));
  EXPECT_EQ(own.narrow(0, 2, 5).abs().sum().item<double>(), 0.0);
}

TEST(CrossAttention, ReportsWeightsAveragedOverHeads) {
  const PackedTokens queries = sentences({1, 2}), keys = sentences({3, 2});
  Context context(false, Precision::kFp64);
  at::Tensor weights;
  // All scores equal: uniform weights over each sentence's own keys.
  cross_attention(at::zeros({3, 4}, at::kDouble),
                  normal({5, 8}, 1),
                  queries,
                  keys,
                  {2, 1.0, 0.0, false},
                  context,
                  &weights);
  const double third = 1.0 / 3.0;
  const at::Tensor expected =
      at::tensor({third, third, third, 0.5, 0.5, 0.0, 0.5, 0.5, 0.0}).view({3, 3});
  EXPECT_TRUE(close(weights, expected, 1e-7));
}

TEST(SelfAttention, EqualsTheOperatorsUnderDropoutAtEveryLength) {
  // Lengths around the vector widths and the block of 64 queries, an empty sentence among them.
  const PackedTokens tokens = sentences({1, 15, 0, 16, 17, 63, 65, 130});
  for (const bool causal : {false, true}) {
    const AttentionOptions options{2, 0.4, 0.3, causal};
    at::Tensor inputs[2], outputs[2];
    for (int side = 0; side < 2; ++side) {
      inputs[side] = leaf(normal({307, 54}, 1));
      Context context(true, Precision::kFp64, 8), twin(true, Precision::kFp64, 8);
      const auto parts = inputs[side].chunk(3, 1);
      outputs[side] =
          side == 0
              ? self_attention(inputs[side], tokens, options, context)
              : padded_attention({parts[2], parts[0], parts[1], tokens.offsets, tokens.offsets},
                                 options,
                                 twin.next_dropout_key());
      outputs[side].backward(normal({307, 18}, 2));
    }
    EXPECT_TRUE(close(outputs[0], outputs[1], 1e-12));
    EXPECT_TRUE(close(inputs[0].grad(), inputs[1].grad(), 1e-12));
  }
}

TEST(CrossAttention, AgreesWithFiniteDifferencesUnderDropout) {
  const PackedTokens queries = sentences({2, 1}), keys = sentences({3, 2});
  const at::Tensor q = normal({3, 4}, 1), up = normal({3, 4}, 2);
  expect_gradient(normal({5, 8}, 3), [&](const at::Tensor& kv) {
    Context context(true, Precision::kFp64, 7);
    return (cross_attention(q, kv, queries, keys, {2, 0.7, 0.3, false}, context) * up).sum();
  });
}

TEST(SelfAttention, DoesNotAttendToTheFuture) {
  const PackedTokens tokens = sentences({4, 6});
  Context context(false, Precision::kFp64);
  const AttentionOptions options{2, 0.5, 0.0, true};
  const at::Tensor kvq = normal({10, 24}, 1);
  at::Tensor changed = kvq.clone();
  changed[7] = normal({24}, 2);  // the fourth token of the second sentence
  const at::Tensor before = self_attention(kvq, tokens, options, context);
  const at::Tensor after = self_attention(changed, tokens, options, context);
  EXPECT_TRUE(at::equal(before.narrow(0, 0, 7), after.narrow(0, 0, 7)));
  for (const int64_t row : {7, 8, 9}) EXPECT_FALSE(at::equal(before[row], after[row])) << row;
}

TEST(SelfAttention, DoesNotDependOnTheOtherSentencesOfTheBatch) {
  Context context(false, Precision::kFp32);
  const AttentionOptions options{3, 0.4, 0.0, false};
  const at::Tensor kvq = normal({31, 63}, 1, at::kFloat);
  const at::Tensor together = self_attention(kvq, sentences({11, 7, 13}), options, context);
  const at::Tensor alone = self_attention(kvq.narrow(0, 11, 7), sentences({7}), options, context);
  EXPECT_TRUE(at::equal(together.narrow(0, 11, 7), alone));
}

TEST(SelfAttention, StaysWithinRoundingOfFp32UnderBf16) {
  const PackedTokens tokens = sentences({9, 20});
  const AttentionOptions options{4, 0.35, 0.1, false};
  const at::Tensor rows = normal({29, 96}, 1, at::kFloat).to(at::kBFloat16);
  const at::Tensor up = normal({29, 32}, 2, at::kFloat).to(at::kBFloat16);
  const at::Tensor low = leaf(rows), full = leaf(rows.to(at::kFloat));
  Context half(true, Precision::kBf16, 3), single(true, Precision::kFp32, 3);
  const at::Tensor out = self_attention(low, tokens, options, half);
  const at::Tensor expected = self_attention(full, tokens, options, single);
  out.backward(up);
  expected.backward(up.to(at::kFloat));
  // Everything inside is fp32; only the result is rounded.
  EXPECT_TRUE(close(out, expected, 1e-6, 0.00391));
  EXPECT_TRUE(close(low.grad(), full.grad(), 1e-6, 0.00391));
}

TEST(SelfAttention, IsTheSameOnOneAndTwoThreads) {
  const PackedTokens tokens = sentences({30, 21, 44, 3, 18});
  const int threads = at::get_num_threads();
  at::Tensor outputs[2], gradients[2];
  for (const int count : {1, 2}) {
    at::set_num_threads(count);
    const at::Tensor kvq = leaf(normal({116, 48}, 1, at::kFloat));
    Context context(true, Precision::kFp32, 3);
    outputs[count - 1] = self_attention(kvq, tokens, {2, 0.3, 0.1, true}, context);
    outputs[count - 1].backward(normal({116, 16}, 2, at::kFloat));
    gradients[count - 1] = kvq.grad();
  }
  at::set_num_threads(threads);
  EXPECT_TRUE(at::equal(outputs[0], outputs[1]));
  EXPECT_TRUE(at::equal(gradients[0], gradients[1]));
}

TEST(SelfAttention, DropsTheConfiguredFractionOfWeights) {
  // Equal scores and values of one: an output is the sum of kept weights / (1 - p), mean one.
  const PackedTokens tokens = sentences({101, 97});
  at::Tensor kvq = at::zeros({198, 24}, at::kDouble);
  kvq.narrow(1, 8, 8).fill_(1.0);
  Context context(true, Precision::kFp64, 5);
  const at::Tensor out = self_attention(kvq, tokens, {8, 1.0, 0.3, false}, context);
  // 198·8 sums of about 100 draws: standard error sqrt(p/(1-p)/n) = sqrt(0.43/157000) = 0.0017.
  EXPECT_NEAR(out.mean().item<double>(), 1.0, 0.007);
  // Variance of one sum of n draws: p/(1-p)/n.
  EXPECT_NEAR(out.var().item<double>(), 0.4286 / 99.0, 0.0006);
}

}  // namespace
}  // namespace phraseq::nn
