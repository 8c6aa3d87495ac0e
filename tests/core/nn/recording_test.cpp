#include "core/nn/recording.h"

#include "core/nn/functional/attention_weights.h"
#include "core/nn/transformer/multihead_attention.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::close;
using phraseq::testing::normal;
using phraseq::testing::sentences;

/// Σ_key weight · value of every head; weights is [1, heads, query tokens, 1, longest key
/// sentence].
at::Tensor weighted(const at::Tensor& weights,
                    const at::Tensor& v,
                    const PackedTokens& queries,
                    const PackedTokens& keys) {
  const int64_t heads = weights.size(1), width = v.size(1) / heads;
  std::vector<at::Tensor> rows;
  for (int64_t s = 0; s < queries.sentences(); ++s) {
    std::vector<at::Tensor> parts;
    for (int64_t h = 0; h < heads; ++h) {
      const at::Tensor own = weights[0][h]
                                 .narrow(0, queries.offsets[s], queries.length(s))
                                 .select(1, 0)
                                 .narrow(1, 0, keys.length(s));
      parts.push_back(
          at::mm(own, v.narrow(0, keys.offsets[s], keys.length(s)).narrow(1, h * width, width)));
    }
    rows.push_back(at::cat(parts, 1));
  }
  return at::cat(rows, 0);
}

TEST(AttentionWeights, AreWhatAttentionMultipliesItsValuesBy) {
  const PackedTokens queries = sentences({2, 5, 1, 3}), keys = sentences({4, 0, 1, 6});
  const AttentionOptions options{2, 0.5, 0.0, false};
  Context context(false, Precision::kFp64);
  const at::Tensor q = normal({11, 6}, 1), kv = normal({11, 12}, 2);
  const auto parts = kv.chunk(2, 1);
  const at::Tensor weights = attention_weights(q, parts[0], queries, keys, options);
  EXPECT_EQ(weights.sizes(), at::IntArrayRef({1, 2, 11, 1, 6}));
  EXPECT_TRUE(close(weighted(weights, parts[1], queries, keys),
                    cross_attention(q, kv, queries, keys, options, context),
                    1e-13));
  EXPECT_EQ(weights[0].narrow(1, 0, 2).narrow(3, 4, 2).abs().sum().item<double>(), 0);
  EXPECT_EQ(weights[0].narrow(1, 2, 5).abs().sum().item<double>(), 0);  // no keys
}

TEST(AttentionWeights, OfCausalAttentionEndAtTheQuery) {
  const PackedTokens tokens = sentences({3, 1, 4});
  const AttentionOptions options{3, 0.37, 0.0, true};
  Context context(false, Precision::kFp64);
  const at::Tensor kvq = normal({8, 27}, 3);
  const auto parts = kvq.chunk(3, 1);
  const at::Tensor weights = attention_weights(parts[2], parts[0], tokens, tokens, options);
  EXPECT_TRUE(close(weighted(weights, parts[1], tokens, tokens),
                    self_attention(kvq, tokens, options, context),
                    1e-13));
  EXPECT_EQ(weights[0][0][5][0][2].item<double>(), 0);  // the third sentence's second query
}

TEST(AttentionWeights, AreSinglePrecisionUnderBf16) {
  const PackedTokens tokens = sentences({2});
  const at::Tensor rows = normal({2, 4}, 4).to(at::kBFloat16);
  const at::Tensor weights = attention_weights(rows, rows, tokens, tokens, {1, 0.5, 0.0, false});
  EXPECT_EQ(weights.scalar_type(), at::kFloat);
  EXPECT_NEAR(weights.sum().item<double>(), 2, 1e-6);
}

TEST(Recording, HoldsTheWeightsOfAttentionInTheOrderOfThePass) {
  torch::nn::Module owner;
  auto second = owner.register_module(
      "a", std::make_shared<MultiheadCrossAttention>(MultiheadAttentionOptions{4, 4, 2}));
  auto first = owner.register_module(
      "b", std::make_shared<MultiheadSelfAttention>(MultiheadAttentionOptions{4, 4, 2}));
  owner.to(at::kDouble);
  for (const auto& entry : owner.named_parameters())
    entry.value().set_data(normal(entry.value().sizes(), entry.key().size()));
  const PackedTokens tokens = sentences({3});
  const at::Tensor x = normal({3, 4}, 5);
  Recording recording;
  Context context(false, Precision::kFp64);
  const at::Tensor silent = first->forward(x, tokens, true, context);
  context.record_into(&recording);
  EXPECT_TRUE(close(first->forward(x, tokens, true, context), silent, 0));
  second->forward(x, tokens, x, tokens, context);
  recording.add(*first, "more", x, {{"levels", {0, 3}}});
  recording.add(MultiheadSelfAttention({4, 4, 2}), "elsewhere", x);
  const auto shown = recording.in_order(owner);
  ASSERT_EQ(shown.size(), 3u);
  EXPECT_EQ(shown[0].name, "b.weights");
  EXPECT_EQ(shown[1].name, "a.weights");
  EXPECT_EQ(shown[2].notes.at("levels"), std::vector<int64_t>({0, 3}));
  // The weights of each head and query sum to 1.
  EXPECT_NEAR(shown[1].values.sum().item<double>(), 2 * 3, 1e-12);
  EXPECT_TRUE(recording.named(owner).at("b.weights").equal(shown[0].values));
}

}  // namespace
}  // namespace phraseq::nn
