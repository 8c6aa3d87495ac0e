#include "core/nn/packed/packed_matrix.h"

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include <ATen/ops/matmul.h>
#include <gtest/gtest.h>

#include "core/nn/packed/packed_loops.h"
#include "tests/core/nn/kernels/levels.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using kernels::Level;
using phraseq::testing::close;
using phraseq::testing::normal;

at::Tensor fp32(at::IntArrayRef sizes, uint64_t seed) { return normal(sizes, seed).to(at::kFloat); }

/// A product written into y [rows, columns]; `bias` is [columns] or undefined.
kernels::ProductTask<float> plain_task(const at::Tensor& y,
                                       int64_t depth,
                                       const at::Tensor& bias = {}) {
  return {y.size(0),
          y.size(1),
          depth,
          bias.defined() ? bias.const_data_ptr<float>() : nullptr,
          false,
          y.mutable_data_ptr<float>(),
          /*y_step=*/y.size(1)};
}

/// The product computed by the kernels of one level.
at::Tensor product_of(Level level, const at::Tensor& x, const at::Tensor& weight) {
  const auto& loops = packed_loops(level);
  const int64_t panels = (weight.size(0) + loops.panel_columns - 1) / loops.panel_columns;
  std::vector<float> packed(static_cast<size_t>(panels * loops.panel_columns * weight.size(1)));
  loops.pack({weight.const_data_ptr<float>(),
              weight.stride(0),
              weight.stride(1),
              weight.size(0),
              weight.size(1)},
             0,
             panels,
             packed.data());
  const at::Tensor y = at::full({x.size(0), weight.size(0)}, -7.0, x.options());
  loops.product(
      {plain_task(y, weight.size(1)), x.const_data_ptr<float>(), x.size(1), packed.data()},
      0,
      panels);
  return y;
}

/// Rounds rows to integers and scales, as the format does; the test multiplies them in double
/// precision.
at::Tensor rounded_rows(const at::Tensor& x, std::vector<double>& scales) {
  const at::Tensor numbers = at::zeros(x.sizes(), at::kDouble);
  for (int64_t row = 0; row < x.size(0); ++row) {
    const auto largest = x[row].abs().max().item<float>();
    scales.push_back(largest / 127.0F);
    if (largest > 0)
      numbers[row].copy_((x[row] * (127.0F / largest)).round());
  }
  return numbers;
}

/// x Wᵀ in 8 or 16 bits, computed by one variant of the loops.
at::Tensor narrow_product_of(const kernels::NarrowKernels<float>& loops,
                             const at::Tensor& x,
                             const at::Tensor& weight,
                             const at::Tensor& bias = {}) {
  const int64_t columns = weight.size(0), depth = weight.size(1);
  const int64_t panels = (columns + loops.panel_columns - 1) / loops.panel_columns;
  std::vector<int8_t> packed(static_cast<size_t>(panels * loops.panel_bytes(depth)), 77);
  std::vector<float> scales(static_cast<size_t>(columns)), x_scales(static_cast<size_t>(x.size(0)));
  loops.pack({weight.const_data_ptr<float>(), weight.stride(0), weight.stride(1), columns, depth},
             0,
             panels,
             packed.data(),
             scales.data());
  std::vector<uint8_t> numbers(static_cast<size_t>(x.size(0) * loops.row_bytes(depth)), 77);
  loops.quantize(
      x.const_data_ptr<float>(), depth, x.size(0), depth, numbers.data(), x_scales.data());
  const at::Tensor y = at::full({x.size(0), columns}, -7.0, x.options());
  loops.product(
      {plain_task(y, depth, bias), numbers.data(), x_scales.data(), packed.data(), scales.data()},
      0,
      panels);
  return y;
}

class PackedShapes : public ::testing::TestWithParam<std::tuple<int64_t, int64_t, int64_t>> {};

TEST_P(PackedShapes, HaveTheProductOfDoublePrecisionOnEveryLevel) {
  const auto [rows, columns, depth] = GetParam();
  const at::Tensor x = fp32({rows, depth}, 1), weight = fp32({columns, depth}, 2);
  const at::Tensor exact = at::matmul(x.to(at::kDouble), weight.to(at::kDouble).t());
  for (const Level level : kernels::present_levels()) {
    EXPECT_TRUE(close(
        product_of(level, x, weight).to(at::kDouble), exact, 1e-6 * static_cast<double>(depth)))
        << "level " << static_cast<int>(level);
  }
}

TEST_P(PackedShapes, GiveARowTheSameBitsAmongAnyNumberOfOthers) {
  const auto [rows, columns, depth] = GetParam();
  const at::Tensor x = fp32({rows, depth}, 3), weight = fp32({columns, depth}, 4);
  const at::Tensor bias = fp32({columns}, 13);
  const float* added = bias.const_data_ptr<float>();
  for (const Quantization kind : {Quantization::kNone, Quantization::kInt8, Quantization::kBf16}) {
    const PackedMatrix matrix(weight, kind);
    const at::Tensor all = matrix.multiply(x, added, false);
    for (int64_t row = 0; row < rows; row += 3) {
      const at::Tensor alone = matrix.multiply(x.narrow(0, row, 1), added, false);
      EXPECT_TRUE(at::equal(alone[0], all[row])) << "row " << row;
    }
  }
}

TEST_P(PackedShapes, RoundToTheNearestOf255Numbers) {
  const auto [rows, columns, depth] = GetParam();
  const at::Tensor x = fp32({rows, depth}, 5), weight = fp32({columns, depth}, 6);
  std::vector<double> x_scales, scales;
  const at::Tensor x_numbers = rounded_rows(x, x_scales), numbers = rounded_rows(weight, scales);
  at::Tensor expected = at::matmul(x_numbers, numbers.t());  // [rows, columns]
  for (int64_t i = 0; i < rows; ++i) expected[i].mul_(x_scales[static_cast<size_t>(i)]);
  for (int64_t j = 0; j < columns; ++j)
    expected.select(1, j).mul_(scales[static_cast<size_t>(j)]);  // [rows]
  const PackedMatrix matrix(weight, Quantization::kInt8);
  EXPECT_TRUE(close(matrix.multiply(x, nullptr, false).to(at::kDouble), expected, 1e-5));
}

INSTANTIATE_TEST_SUITE_P(OddAndLarge,
                         PackedShapes,
                         ::testing::Values(std::make_tuple(1, 1, 1),
                                           std::make_tuple(1, 131, 7),
                                           std::make_tuple(2, 70, 33),
                                           std::make_tuple(3, 17, 64),
                                           std::make_tuple(4, 64, 5),
                                           std::make_tuple(5, 129, 31),
                                           std::make_tuple(6, 16, 16),
                                           std::make_tuple(7, 63, 2),
                                           std::make_tuple(13, 300, 11),
                                           std::make_tuple(601, 40, 129)));

TEST(PackedMatrix, AddsTheBiasAndCutsNegativeResults) {
  const at::Tensor x = fp32({5, 9}, 1), weight = fp32({23, 9}, 2), bias = fp32({23}, 3);
  const at::Tensor sum = (at::matmul(x, weight.t()) + bias).to(at::kDouble);
  const PackedMatrix matrix(weight, Quantization::kNone);
  EXPECT_TRUE(
      close(matrix.multiply(x, bias.const_data_ptr<float>(), false).to(at::kDouble), sum, 1e-5));
  EXPECT_TRUE(close(
      matrix.multiply(x, bias.const_data_ptr<float>(), true).to(at::kDouble), sum.relu(), 1e-5));
}

TEST(PackedMatrix, KeepsNaNUnderAReLU) {
  at::Tensor x = fp32({7, 12}, 1);
  x[3][5] = std::numeric_limits<float>::quiet_NaN();
  // Whole panels and a partial one.
  const PackedMatrix matrix(fp32({150, 12}, 2), Quantization::kNone);
  const at::Tensor is_nan = matrix.multiply(x, nullptr, /*relu=*/true).isnan();
  EXPECT_TRUE(is_nan[3].all().item<bool>());
  EXPECT_EQ(is_nan.sum().item<int64_t>(), 150);
}

TEST(PackedMatrix, IsReadFromColumnsOfAWiderWeight) {
  const at::Tensor wide = fp32({20, 30}, 1), x = fp32({4, 12}, 2);
  const at::Tensor weight = wide.narrow(1, 7, 12);  // [20, 12]
  const at::Tensor exact = at::matmul(x.to(at::kDouble), weight.to(at::kDouble).t());
  EXPECT_TRUE(
      close(PackedMatrix(weight, Quantization::kNone).multiply(x, nullptr, false).to(at::kDouble),
            exact,
            1e-5));
}

TEST(PackedMatrix, IsExactInWholeNumbersAtTheLargestValues) {
  const int64_t depth = 1023;
  const at::Tensor x = at::full({3, depth}, 127.0, at::kFloat);
  const at::Tensor weight = at::full({17, depth}, -127.0, at::kFloat);
  const PackedMatrix matrix(weight, Quantization::kInt8);
  const at::Tensor expected = at::full({3, 17}, -127.0 * 127.0 * 1023.0, at::kDouble);
  EXPECT_TRUE(close(matrix.multiply(x, nullptr, false).to(at::kDouble), expected, 0.5));
  for (const NarrowVariant& variant : int8_variants()) {
    EXPECT_TRUE(close(narrow_product_of(*variant.loops, x, weight).to(at::kDouble), expected, 0.5))
        << variant.name;
    EXPECT_TRUE(
        close(narrow_product_of(*variant.loops, x, -weight).to(at::kDouble), -expected, 0.5))
        << variant.name;
  }
}

TEST(PackedMatrix, QuantizesARowOfZerosToZerosAndKeepsNaN) {
  const at::Tensor x = at::zeros({2, 8}, at::kFloat), weight = fp32({5, 8}, 1);
  x[1][3] = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor y =
      PackedMatrix(weight, Quantization::kInt8).multiply(x, nullptr, false);  // [2, 5]
  EXPECT_TRUE(at::equal(y[0], at::zeros({5}, at::kFloat)));
  EXPECT_TRUE(y[1].isnan().all().item<bool>());
}

TEST_P(PackedShapes, HaveTheSame8BitProductByAllInstructions) {
  const auto [rows, columns, depth] = GetParam();
  const at::Tensor x = fp32({rows, depth}, 7), weight = fp32({columns, depth}, 8);
  const at::Tensor bias = fp32({columns}, 14);
  const at::Tensor plain = narrow_product_of(*int8_variants().front().loops, x, weight, bias);
  for (const NarrowVariant& variant : int8_variants())
    EXPECT_TRUE(at::equal(narrow_product_of(*variant.loops, x, weight, bias), plain))
        << variant.name;
}

TEST_P(PackedShapes, RoundBothSidesToBf16AndAddInFp32) {
  const auto [rows, columns, depth] = GetParam();
  const at::Tensor x = fp32({rows, depth}, 9), weight = fp32({columns, depth}, 10);
  const auto rounded = [](const at::Tensor& values) {
    return values.to(at::kBFloat16).to(at::kDouble);
  };
  const at::Tensor expected = at::matmul(rounded(x), rounded(weight).t());
  for (const NarrowVariant& variant : bf16_variants()) {
    EXPECT_TRUE(close(narrow_product_of(*variant.loops, x, weight).to(at::kDouble),
                      expected,
                      1e-6 * static_cast<double>(depth)))
        << variant.name;
  }
}

TEST_P(PackedShapes, HaveABf16RowTheSameBitsByEachVariant) {
  const auto [rows, columns, depth] = GetParam();
  const at::Tensor x = fp32({rows, depth}, 11), weight = fp32({columns, depth}, 12);
  for (const NarrowVariant& variant : bf16_variants()) {
    const at::Tensor all = narrow_product_of(*variant.loops, x, weight);
    for (int64_t row = 0; row < rows; row += 7) {
      const at::Tensor alone = narrow_product_of(*variant.loops, x.narrow(0, row, 1), weight);
      EXPECT_TRUE(at::equal(alone[0], all[row])) << variant.name << ", row " << row;
    }
  }
}

TEST(NarrowVariants, FollowTheLevel) {
  EXPECT_STREQ(int8_variant(Level::kBaseline).name, "baseline");
  for (const Level level : kernels::present_levels()) {
    EXPECT_LE(int8_variant(level).level, level);
  }
  EXPECT_EQ(int8_variant(Level::kV4).loops, int8_variants().back().loops);
  EXPECT_STREQ(bf16_variant(Level::kBaseline).name, "baseline");
  EXPECT_EQ(bf16_variant(Level::kV4).loops, bf16_variants().back().loops);
}

}  // namespace
}  // namespace phraseq::nn
