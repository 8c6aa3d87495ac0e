#include "core/nn/functional/grouped_attention.h"

#include "core/base/error.h"
#include "core/nn/functional/incremental.h"
#include "core/nn/functional/reference/grouped_attention_reference.h"
#include "core/nn/functional/reference/incremental_reference.h"
#include "tests/core/nn/functional/rich_layout.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::close;
using phraseq::testing::cross_layout;
using phraseq::testing::expect_gradient;
using phraseq::testing::leaf;
using phraseq::testing::normal;
using phraseq::testing::rich_columns;
using phraseq::testing::rich_layout;
using phraseq::testing::sentences;

constexpr int64_t kHeadDim = 5;
const int64_t kColumns = rich_columns(kHeadDim);

struct Setting {
  bool causal;
  double dropout;
};

class GroupedAttentionOf : public ::testing::TestWithParam<Setting> {};

TEST_P(GroupedAttentionOf, EqualsTheOperators) {
  const auto [causal, p] = GetParam();
  // Lengths around the windows, the vector widths and the block of 64 queries.
  const PackedTokens tokens = sentences({1, 2, 0, 3, 17, 64, 65, 130});
  const SentenceRows rows{tokens.offsets, tokens.offsets};
  const at::Tensor up = normal({282, 35}, 2);
  at::Tensor inputs[2], outputs[2], weights[2];
  for (const bool own : {false, true}) {
    Context context(true, Precision::kFp64, 8);
    inputs[own] = leaf(normal({282, kColumns}, 1));
    const at::Tensor& x = inputs[own];
    outputs[own] = own ? grouped_attention(
                             x, x, rows, rich_layout(kHeadDim), causal, p, context, &weights[own])
                       : reference::grouped_attention(x,
                                                      x,
                                                      rows,
                                                      rich_layout(kHeadDim),
                                                      causal,
                                                      p,
                                                      p > 0 ? context.next_dropout_key() : 0,
                                                      &weights[own]);
    outputs[own].backward(up);
  }
  EXPECT_TRUE(close(outputs[1], outputs[0], 1e-12));
  EXPECT_TRUE(close(inputs[1].grad(), inputs[0].grad(), 1e-12));
  EXPECT_TRUE(close(weights[1], weights[0], 1e-6));
}

INSTANTIATE_TEST_SUITE_P(Settings,
                         GroupedAttentionOf,
                         ::testing::Values(Setting{false, 0.0},
                                           Setting{true, 0.0},
                                           Setting{false, 0.3},
                                           Setting{true, 0.3}));

TEST(GroupedAttention, OverTwoMatricesEqualsTheOperators) {
  const PackedTokens queries = sentences({4, 1, 3, 66}), keys = sentences({7, 2, 0, 35});
  const SentenceRows rows{queries.offsets, keys.offsets};
  at::Tensor q[2], kv[2], outputs[2];
  for (const bool own : {false, true}) {
    Context context(true, Precision::kFp64, 8);
    q[own] = leaf(normal({74, 25 * kHeadDim}, 1));
    kv[own] = leaf(normal({44, 16 * kHeadDim}, 2));
    outputs[own] =
        own ? grouped_attention(q[own], kv[own], rows, cross_layout(kHeadDim), false, 0.2, context)
            : reference::grouped_attention(q[own],
                                           kv[own],
                                           rows,
                                           cross_layout(kHeadDim),
                                           false,
                                           0.2,
                                           context.next_dropout_key(),
                                           nullptr);
    outputs[own].backward(normal({74, 35}, 3));
  }
  EXPECT_TRUE(close(outputs[1], outputs[0], 1e-12));
  EXPECT_TRUE(close(q[1].grad(), q[0].grad(), 1e-12));
  EXPECT_TRUE(close(kv[1].grad(), kv[0].grad(), 1e-12));
  EXPECT_EQ(outputs[1].narrow(0, 5, 3).abs().max().item<double>(), 0.0);  // no keys
}

TEST(GroupedAttention, AgreesWithFiniteDifferencesUnderDropout) {
  const PackedTokens tokens = sentences({3, 1});
  const at::Tensor up = normal({4, 35}, 2);
  expect_gradient(normal({4, kColumns}, 3), [&](const at::Tensor& x) {
    Context context(true, Precision::kFp64, 7);
    const SentenceRows rows{tokens.offsets, tokens.offsets};
    return (grouped_attention(x, x, rows, rich_layout(kHeadDim), true, 0.3, context) * up).sum();
  });
}

TEST(GroupedAttention, StaysWithinRoundingOfFp32UnderBf16) {
  const PackedTokens tokens = sentences({9, 20});
  const SentenceRows rows{tokens.offsets, tokens.offsets};
  const at::Tensor x = normal({29, kColumns}, 1, at::kFloat).to(at::kBFloat16);
  const at::Tensor up = normal({29, 35}, 2, at::kFloat).to(at::kBFloat16);
  const at::Tensor low = leaf(x), full = leaf(x.to(at::kFloat));
  Context half(true, Precision::kBf16, 3), single(true, Precision::kFp32, 3);
  const at::Tensor out = grouped_attention(low, low, rows, rich_layout(kHeadDim), false, 0.1, half);
  const at::Tensor expected =
      grouped_attention(full, full, rows, rich_layout(kHeadDim), false, 0.1, single);
  out.backward(up);
  expected.backward(up.to(at::kFloat));
  EXPECT_TRUE(close(out, expected, 1e-6, 0.00391));
  EXPECT_TRUE(close(low.grad(), full.grad(), 1e-6, 0.00391));
}

TEST(GroupedAttention, RejectsAColumnThatNoHeadReads) {
  const PackedTokens tokens = sentences({3});
  const SentenceRows rows{tokens.offsets, tokens.offsets};
  Context context(false, Precision::kFp64);
  const at::Tensor x = normal({3, kColumns + 1}, 1);
  EXPECT_THROW(grouped_attention(x, x, rows, rich_layout(kHeadDim), true, 0.0, context),
               UsageError);
}

TEST(GroupedAttention, RejectsQueriesThatAreNeitherOneNorOneForEachKindOfKey) {
  const PackedTokens tokens = sentences({3});
  const SentenceRows rows{tokens.offsets, tokens.offsets};
  Context context(false, Precision::kFp64);
  AttentionLayout layout = rich_layout(kHeadDim);
  layout.groups[0].queries[1].queries.pop_back();
  const at::Tensor x = normal({3, kColumns - 12 * kHeadDim}, 1);
  EXPECT_THROW(grouped_attention(x, x, rows, layout, true, 0.0, context), UsageError);
}

/// Two heads of 19 channels over words and bigrams, whose keys combine those of words, with two
/// kinds of queries.
AttentionLayout decoding_layout() {
  constexpr int64_t kWide = 2 * 19;
  AttentionLayout layout;
  layout.heads = 2;
  layout.head_dim = 19;
  layout.query_kinds = layout.key_kinds = 2;
  layout.out_columns = 2 * kWide;
  HeadGroup group{0, 2, {{}, {}}, {{}, {}}};
  group.keys[0].value.column = kWide;
  group.keys[0].scale = 0.2;
  group.keys[1] = {
      1, {.column = 2 * kWide, .parts = 2, .part_lag = 1}, {.column = 3 * kWide}, 1, 0.15};
  for (const int64_t kind : {0, 1}) {
    const int64_t first = 3 * kind * kWide;
    group.queries[static_cast<size_t>(kind)] = {
        kind,
        {{.column = first}, {.column = first + kWide, .parts = 2, .part_step = kWide}},
        {.column = kind * kWide},
        0};
  }
  layout.groups = {group};
  return layout;
}

TEST(GroupedDecoding, OfThePastWithSeveralKindsOfKeysEqualsTheOperators) {
  AttentionLayout layout = decoding_layout();
  layout.groups[0].queries[1].first = 1;
  Ancestry ancestry(2);
  SelfAttentionCache cache;
  std::vector<at::Tensor> blocks;  // of one step
  for (uint64_t step = 0; step < 11; ++step) {
    if (step == 4)
      ancestry.select({1, 1, 0});
    ancestry.advance();
    layout.groups[0].queries[1].first = step == 0 ? 1 : 0;
    const at::Tensor q = normal({ancestry.rows(), 6 * 38}, step);
    blocks.push_back(normal({1, ancestry.rows(), 4 * 38}, 100 + step));
    cache.open_step(ancestry.rows(), 4 * 38, q.options()).copy_(blocks.back()[0]);
    const at::Tensor own = cache.attend(q, ancestry, layout);
    EXPECT_TRUE(close(own, self_attention_reference(q, blocks, ancestry, layout), 1e-12)) << step;
  }
}

TEST(GroupedDecoding, OfSourcesWithSeveralKindsOfKeysEqualsTheOperators) {
  const AttentionLayout layout = decoding_layout();
  const std::vector<int64_t> offsets = {0, 7, 8, 8, 14}, sentence_of_row = {3, 0, 0, 1, 2};
  const at::Tensor q = normal({5, 6 * 38}, 1), kv = normal({14, 4 * 38}, 2);
  at::Tensor weights[2];
  const at::Tensor own =
      decode_cross_attention(q, kv, offsets, sentence_of_row, layout, &weights[0]);
  const at::Tensor expected =
      cross_attention_reference(q, kv, {offsets, sentence_of_row}, layout, &weights[1]);
  EXPECT_TRUE(close(own, expected, 1e-12));
  EXPECT_TRUE(close(weights[0], weights[1], 1e-6));
  EXPECT_EQ(own[4].abs().max().item<double>(), 0.0);  // a source without tokens
}

}  // namespace
}  // namespace phraseq::nn
