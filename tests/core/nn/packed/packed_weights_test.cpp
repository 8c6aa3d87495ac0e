#include "core/nn/packed/packed_weights.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "core/nn/functional/linear.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::close;
using phraseq::testing::normal;

TEST(PackedWeights, AreTheOnesPackedLast) {
  const at::Tensor one = normal({3, 5}, 1, at::kFloat), other = normal({3, 5}, 2, at::kFloat);
  pack_weights(one, Quantization::kNone);
  ASSERT_NE(packed_weights_of(one), nullptr);
  EXPECT_EQ(packed_weights_of(one)->kind(), Quantization::kNone);
  EXPECT_EQ(packed_weights_of(other), nullptr);

  pack_weights(one, Quantization::kInt8);
  EXPECT_EQ(packed_weights_of(one)->kind(), Quantization::kInt8);
  EXPECT_EQ(packed_weights_of(other), nullptr);

  pack_weights(other, Quantization::kBf16);
  EXPECT_EQ(packed_weights_of(other)->kind(), Quantization::kBf16);
  EXPECT_EQ(packed_weights_of(one)->kind(), Quantization::kInt8);
}

TEST(PackedWeights, OfOneMemoryDifferByTheirPartsAndShapes) {
  const at::Tensor values = normal({6, 5}, 3, at::kFloat);
  PackedWeights packed(Quantization::kNone);
  const auto matrix = [&](const std::vector<at::Tensor>& parts) {
    return &packed.matrix(parts, [&] { return at::cat(parts); });
  };
  const at::Tensor upper = values.slice(0, 0, 2), lower = values.slice(0, 2, 6);
  const PackedMatrix* whole = matrix({values});
  EXPECT_NE(matrix({upper}), whole);
  EXPECT_NE(matrix({upper, lower}), matrix({upper}));
  EXPECT_EQ(matrix({values}), whole);
  EXPECT_EQ(whole->columns(), 6);
  EXPECT_EQ(matrix({upper})->columns(), 2);
}

/// The weights are contiguous and the biases are elsewhere, as in a mapped file.
TEST(PackedWeights, AreMultipliedWithBiasesThatLieApart) {
  const c10::NoGradGuard no_gradients;
  const at::Tensor values = normal({9, 5}, 4, at::kFloat), x = normal({2, 5}, 5, at::kFloat);
  const std::vector<at::Tensor> weights = {values.slice(0, 0, 2), values.slice(0, 2, 9)};
  const std::vector<at::Tensor> biases = {normal({2}, 6, at::kFloat), normal({7}, 7, at::kFloat)};
  pack_weights(values, Quantization::kNone);
  Context context(/*training=*/false, Precision::kFp32);
  const at::Tensor y = stacked_linear(x, weights, biases, context);  // [2, 9]
  EXPECT_TRUE(close(
      y.to(at::kDouble), at::matmul(x, values.t()).add(at::cat(biases)).to(at::kDouble), 1e-5));
}

}  // namespace
}  // namespace phraseq::nn
