#include "core/checkpoint/safetensors/float_values.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/checkpoint/checkpoint_test_files.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using testing::view;

TEST(FloatValues, AreExactOfEveryWidth) {
  const std::vector<double> f64 = {0.1, -2};
  EXPECT_THAT(float_values(view("x", DType::kF64, {2}, f64)), ElementsAre(0.1, -2));
  const std::vector<float> f32 = {0.1F, -2};
  EXPECT_THAT(float_values(view("x", DType::kF32, {2}, f32)),
              ElementsAre(static_cast<double>(0.1F), -2));
  const std::vector<uint16_t> bf16 = {0x3F80, 0xC040, 0x0001};
  EXPECT_THAT(float_values(view("x", DType::kBF16, {3}, bf16)),
              ElementsAre(1, -3, std::ldexp(1.0, -133)));
}

TEST(FloatValues, OfHalfPrecisionMayBeSubnormalOrNotFinite) {
  // 1, -2, the largest, the smallest normal, the smallest, -0, infinity, not a number
  const std::vector<uint16_t> bits = {
      0x3C00, 0xC000, 0x7BFF, 0x0400, 0x0001, 0x8000, 0x7C00, 0x7E00};
  const auto values = float_values(view("x", DType::kF16, {8}, bits));
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], -2);
  EXPECT_EQ(values[2], 65504);
  EXPECT_EQ(values[3], std::ldexp(1.0, -14));
  EXPECT_EQ(values[4], std::ldexp(1.0, -24));
  EXPECT_TRUE(values[5] == 0 && std::signbit(values[5]));
  EXPECT_EQ(values[6], std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(values[7]));
}

TEST(FloatValues, AreRefusedForIntegers) {
  const std::vector<int64_t> ids = {1};
  EXPECT_THROW(float_values(view("x", DType::kI64, {1}, ids)), std::invalid_argument);
  EXPECT_THROW(float_bytes({1.0}, DType::kI64), std::invalid_argument);
}

TEST(FloatBytes, OfEveryFiniteHalfAreItsOwn) {
  std::vector<uint16_t> bits;
  for (uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    if ((pattern >> 10 & 31) != 31)
      bits.push_back(static_cast<uint16_t>(pattern));
  }
  const auto size = static_cast<int64_t>(bits.size());
  const std::string bytes =
      float_bytes(float_values(view("x", DType::kF16, {size}, bits)), DType::kF16);
  const TensorView written{"x", DType::kF16, {size}, std::as_bytes(std::span(bytes))};
  EXPECT_EQ(testing::values_of<uint16_t>(written), bits);
}

TEST(FloatBytes, OfSixteenBitsRoundTiesToEven) {
  const auto bits_of = [](const std::vector<double>& values, DType dtype) {
    const std::string bytes = float_bytes(values, dtype);
    const auto size = static_cast<int64_t>(values.size());
    return testing::values_of<uint16_t>({"x", dtype, {size}, std::as_bytes(std::span(bytes))});
  };
  const double tie = std::ldexp(1.0, -11);  // half of the unit at 1
  EXPECT_THAT(bits_of({1 + tie, 1 + 3 * tie, -1 - tie * 1.001, 65519, 65520, tie * tie * 0.125},
                      DType::kF16),
              ElementsAre(0x3C00, 0x3C02, 0xBC01, 0x7BFF, 0x7C00, 0x0000));
  const double coarse = std::ldexp(1.0, -8);
  EXPECT_THAT(bits_of({1 + coarse, 1 + 3 * coarse}, DType::kBF16), ElementsAre(0x3F80, 0x3F82));
}

TEST(FloatBytes, RoundToNearest) {
  const std::string bytes = float_bytes({0.1, 1.0 + std::ldexp(1.0, -30)}, DType::kF32);
  TensorView tensor{"x", DType::kF32, {2}, std::as_bytes(std::span(bytes))};
  EXPECT_THAT(testing::values_of<float>(tensor), ElementsAre(0.1F, 1.0F));
}

}  // namespace
}  // namespace phraseq
