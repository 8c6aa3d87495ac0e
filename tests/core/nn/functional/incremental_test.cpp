#include "core/nn/functional/incremental.h"

#include <cmath>
#include <stdexcept>

#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/nn/functional/reference/incremental_reference.h"
#include "core/nn/functional/reference/operators_only.h"

namespace phraseq::nn {
namespace {

/// Numbers in [-1, 1) from the generator of phraseq, which are the same on every machine.
at::Tensor random_tensor(std::vector<int64_t> shape, uint64_t seed, at::ScalarType type) {
  at::Tensor tensor = at::zeros(shape, at::kDouble);
  Random random(seed);
  auto* data = tensor.data_ptr<double>();
  for (int64_t i = 0; i < tensor.numel(); ++i) data[i] = 2 * random.uniform() - 1;
  return tensor.to(type);
}

/// The definition of attention for one query q [model] over k, v [keys, model].
at::Tensor attention(const at::Tensor& q,
                     const at::Tensor& k,
                     const at::Tensor& v,
                     int64_t heads,
                     double scale,
                     at::Tensor* mean_weights = nullptr) {
  const int64_t model = q.size(0), size = model / heads;
  std::vector<at::Tensor> out, weights;
  for (int64_t h = 0; h < heads; ++h) {
    const auto columns = [&](const at::Tensor& t) { return t.slice(1, h * size, (h + 1) * size); };
    weights.push_back(
        at::softmax(at::matmul(columns(k), q.slice(0, h * size, (h + 1) * size)) * scale, 0));
    out.push_back(at::matmul(weights.back(), columns(v)));
  }
  if (mean_weights != nullptr)
    *mean_weights = at::stack(weights).mean(0);
  return at::cat(out);
}

TEST(Ancestry, FollowsRowsThroughReorderingAndPruning) {
  Ancestry ancestry(2);
  ancestry.advance();
  ancestry.select({0, 0, 1});  // a beam of two for the first sentence
  ancestry.advance();
  ancestry.select({2, 1});
  ancestry.advance();
  ASSERT_EQ(ancestry.rows(), 2);
  ASSERT_EQ(ancestry.steps(), 3);
  EXPECT_EQ(std::vector<int32_t>(ancestry.of(0), ancestry.of(0) + 3),
            (std::vector<int32_t>{1, 2, 0}));
  EXPECT_EQ(std::vector<int32_t>(ancestry.of(1), ancestry.of(1) + 3),
            (std::vector<int32_t>{0, 1, 1}));
}

TEST(Ancestry, KeepsThePastWhenTheTableGrows) {
  Ancestry ancestry(3);
  ancestry.advance();
  ancestry.select({2, 0, 1});
  for (int step = 1; step < 40; ++step) ancestry.advance();
  EXPECT_EQ(ancestry.of(0)[0], 2);
  EXPECT_EQ(ancestry.of(1)[0], 0);
  EXPECT_EQ(ancestry.of(2)[39], 2);
}

/// Decodes with a reordered, growing and shrinking beam, and compares every row of every step with
/// attention over that row's own past, of which a copy is kept.
void compare_with_copied_past(at::ScalarType type, int64_t heads, int64_t size, double tolerance) {
  const int64_t model = heads * size;
  const double scale = 1 / std::sqrt(static_cast<double>(size));
  SelfAttentionCache cache;
  Ancestry ancestry(2);
  std::vector<std::vector<at::Tensor>> past(2);
  const std::vector<std::vector<int64_t>> selections{
      {0, 0, 0, 1, 1}, {2, 1, 0, 4, 4}, {4, 0, 3}, {1}};
  for (int step = 0; step < 21; ++step) {
    const auto rows = static_cast<int64_t>(past.size());
    const at::Tensor kvq = random_tensor({rows, 3 * model}, 7 + static_cast<uint64_t>(step), type);
    ancestry.advance();
    const at::Tensor out = cache.append_and_attend(kvq, ancestry, heads, scale);
    ASSERT_EQ(out.sizes(), (at::IntArrayRef{rows, model}));
    for (int64_t row = 0; row < rows; ++row) {
      auto& own = past[static_cast<size_t>(row)];
      own.push_back(kvq[row].to(at::kDouble));
      const at::Tensor all = at::stack(own);
      const at::Tensor expected = attention(own.back().slice(0, 2 * model),
                                            all.slice(1, 0, model),
                                            all.slice(1, model, 2 * model),
                                            heads,
                                            scale);
      EXPECT_TRUE(at::allclose(out[row].to(at::kDouble), expected, 0, tolerance))
          << "step " << step << ", row " << row;
    }
    if (step % 5 != 4)
      continue;
    const auto& selection = selections[static_cast<size_t>(step / 5)];
    ancestry.select(selection);
    std::vector<std::vector<at::Tensor>> kept;
    for (const int64_t row : selection) kept.push_back(past[static_cast<size_t>(row)]);
    past = kept;
  }
}

TEST(SelfAttentionCache, EqualsAttentionOverACopiedPastInFp64) {
  compare_with_copied_past(at::kDouble, 3, 5, 1e-12);
}

TEST(SelfAttentionCache, EqualsAttentionOverACopiedPastInFp32) {
  compare_with_copied_past(at::kFloat, 2, 70, 2e-6);  // longer than the part that fits in registers
}

TEST(SelfAttentionCache, EqualsAttentionOverACopiedPastInBf16) {
  // Half a unit in the last place of bf16 below 1.
  compare_with_copied_past(at::kBFloat16, 2, 16, 4e-3);
}

/// The past is in full blocks, in blocks that were ended when rows were added, and in an open
/// block.
TEST(SelfAttentionCache, EqualsAttentionOverACopiedPastByOperators) {
  const OperatorsOnly as_on_a_gpu;
  compare_with_copied_past(at::kDouble, 3, 5, 1e-12);
}

TEST(SelfAttentionCache, RejectsAnAncestryThatWasNotAdvanced) {
  SelfAttentionCache cache;
  const Ancestry ancestry(1);
  const at::Tensor kvq = at::zeros({1, 12});
  EXPECT_THROW(cache.append_and_attend(kvq, ancestry, 2, 1.0), std::logic_error);
}

class DecodeCrossAttention : public ::testing::Test {
 protected:
  static constexpr int64_t kHeads = 3, kModel = 21;
  static constexpr double kScale = 0.37;
  const std::vector<int64_t> offsets_{0, 4, 4, 9};  // the second sentence has no keys
  const std::vector<int64_t> sentence_of_row_{2, 0, 2, 1, 2};

  void compare(at::ScalarType type, double tolerance) {
    const at::Tensor q = random_tensor({5, kModel}, 3, type);
    const at::Tensor kv = random_tensor({9, 2 * kModel}, 4, type);
    at::Tensor weights;
    const at::Tensor out =
        decode_cross_attention(q, kv, offsets_, sentence_of_row_, kHeads, kScale, &weights);
    ASSERT_EQ(weights.sizes(), (at::IntArrayRef{5, 5}));
    for (int64_t row = 0; row < 5; ++row) {
      const auto sentence = static_cast<size_t>(sentence_of_row_[static_cast<size_t>(row)]);
      const at::Tensor own =
          kv.slice(0, offsets_[sentence], offsets_[sentence + 1]).to(at::kDouble);
      at::Tensor expected = at::zeros({kModel}, at::kDouble),
                 expected_weights = at::zeros({0}, at::kDouble);
      if (own.size(0) > 0) {
        expected = attention(q[row].to(at::kDouble),
                             own.slice(1, 0, kModel),
                             own.slice(1, kModel),
                             kHeads,
                             kScale,
                             &expected_weights);
      }
      EXPECT_TRUE(at::allclose(out[row].to(at::kDouble), expected, 0, tolerance)) << "row " << row;
      const int64_t keys = own.size(0);
      EXPECT_TRUE(
          at::allclose(weights[row].slice(0, 0, keys).to(at::kDouble), expected_weights, 0, 1e-6));
      EXPECT_EQ(weights[row].slice(0, keys).abs().sum().item<double>(), 0);
    }
  }
};

TEST_F(DecodeCrossAttention, AttendsToTheRowsOwnSentenceInFp64) { compare(at::kDouble, 1e-12); }
TEST_F(DecodeCrossAttention, AttendsToTheRowsOwnSentenceByOperators) {
  const OperatorsOnly as_on_a_gpu;
  compare(at::kDouble, 1e-12);
}
TEST_F(DecodeCrossAttention, AttendsToTheRowsOwnSentenceInFp32) { compare(at::kFloat, 2e-6); }
TEST_F(DecodeCrossAttention, AttendsToTheRowsOwnSentenceInBf16) { compare(at::kBFloat16, 4e-3); }

/// Sizes that fill vectors, that fill only a part of one, and both; numbers of heads with and
/// without a remainder.
TEST(DecodeCrossAttentionSizes, EqualTheReferenceForHeadsAndSentencesOfAnySize) {
  for (const int64_t size : {1, 7, 16, 17, 32, 40, 64, 80}) {
    for (const int64_t tokens : {1, 2, 3, 4, 5, 16, 17, 33}) {
      const int64_t heads = 5, model = heads * size;
      const at::Tensor q = 3 * random_tensor({2, model}, 8, at::kDouble);
      const at::Tensor kv = random_tensor({tokens, 2 * model}, 9, at::kDouble);
      const std::vector<int64_t> offsets{0, tokens}, sentence_of_row{0, 0};
      const at::Tensor expected =
          cross_attention_reference(q, kv, {offsets, sentence_of_row}, heads, 0.3, nullptr);
      const auto compute = [&](at::ScalarType type) {
        return decode_cross_attention(q.to(type), kv.to(type), offsets, sentence_of_row, heads, 0.3)
            .to(at::kDouble);
      };
      const std::string what = fmt::format("{} channels, {} tokens", size, tokens);
      EXPECT_TRUE(at::allclose(compute(at::kDouble), expected, 0, 1e-13)) << what;
      EXPECT_TRUE(at::allclose(compute(at::kFloat), expected, 0, 2e-6)) << what;
      EXPECT_TRUE(at::allclose(compute(at::kBFloat16), expected, 0, 2e-2)) << what;
    }
  }
}

TEST(IncrementalComposite, EqualsTheKernelsOverAReorderedBeam) {
  constexpr int64_t kHeads = 2, kModel = 14;
  SelfAttentionCache cache;
  Ancestry ancestry(3);
  std::vector<at::Tensor> blocks;  // of one step
  for (uint64_t step = 0; step < 6; ++step) {
    const at::Tensor kvq = random_tensor({3, 3 * kModel}, 50 + step, at::kDouble);
    ancestry.advance();
    blocks.push_back(kvq.slice(1, 0, 2 * kModel).unsqueeze(0));
    const at::Tensor out = cache.append_and_attend(kvq, ancestry, kHeads, 0.5);
    const at::Tensor expected = self_attention_reference(kvq, blocks, ancestry, kHeads, 0.5);
    EXPECT_TRUE(at::allclose(out, expected, 0, 1e-12)) << "step " << step;
    ancestry.select({2, 0, 2});
  }
}

TEST(IncrementalComposite, EqualsTheKernelsOverSourceKeys) {
  const std::vector<int64_t> offsets{0, 2, 2, 7}, sentence_of_row{2, 1, 0, 2};
  const at::Tensor q = random_tensor({4, 6}, 8, at::kDouble),
                   kv = random_tensor({7, 12}, 9, at::kDouble);
  at::Tensor weights, reference_weights = at::zeros({4, 5});
  const at::Tensor out = decode_cross_attention(q, kv, offsets, sentence_of_row, 3, 0.7, &weights);
  const at::Tensor expected =
      cross_attention_reference(q, kv, {offsets, sentence_of_row}, 3, 0.7, &reference_weights);
  EXPECT_TRUE(at::allclose(out, expected, 0, 1e-12));
  EXPECT_TRUE(at::allclose(weights, reference_weights, 0, 1e-6));
}

}  // namespace
}  // namespace phraseq::nn
