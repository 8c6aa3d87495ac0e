#include "core/convert/position_table.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"

namespace phraseq {
namespace {

using ::testing::DoubleNear;
using ::testing::IsEmpty;
using ::testing::Pointwise;

TEST(PositionTable, HasTheFourPublishedSinusoids) {
  // Width 4: rates 1 and 1/100 over the whole width, 1 and 1/10000 over the half.
  const double s = std::sin(1.0), c = std::cos(1.0);
  const auto row = [](const char* kind) {
    const auto table = position_table(kind, 2, 4);
    return std::vector<double>(table.begin() + 4, table.end());
  };
  EXPECT_THAT(row("interleaved"),
              Pointwise(DoubleNear(1e-12), {s, c, std::sin(0.01), std::cos(0.01)}));
  EXPECT_THAT(row("marian"), Pointwise(DoubleNear(1e-12), {s, std::sin(0.01), c, std::cos(0.01)}));
  EXPECT_THAT(row("tensor2tensor"),
              Pointwise(DoubleNear(1e-12), {s, std::sin(1e-4), c, std::cos(1e-4)}));
  EXPECT_THAT(
      row("fairseq"),
      Pointwise(DoubleNear(1e-12), {std::sin(3.0), std::sin(3e-4), std::cos(3.0), std::cos(3e-4)}));
  EXPECT_THAT(position_table("learned", 2, 4), IsEmpty());
}

TEST(PositionTable, IsRecognized) {
  for (const char* kind : {"marian", "fairseq", "tensor2tensor", "interleaved"}) {
    const auto table = position_table(kind, 30, 8);
    const std::vector<float> stored(table.begin(), table.end());
    EXPECT_EQ(kind_of_positions(testing::view("x", DType::kF32, {30, 8}, stored), "file"), kind);
  }
  std::vector<double> tuned = position_table("marian", 30, 8);
  tuned[77] += 1e-3;
  const std::vector<float> near(tuned.begin(), tuned.end());
  const auto tuned_table = testing::view("x", DType::kF32, {30, 8}, near);
  EXPECT_EQ(kind_of_positions(tuned_table, "file"), "learned") << "its values would be lost";
  EXPECT_EQ(kind_of_sinusoids(tuned_table, "file"), "marian") << "may be half precision";
  const std::vector<float> none(240, 0.0F);
  EXPECT_EQ(kind_of_positions(testing::view("x", DType::kF32, {30, 8}, none), "file"), "none");
  const std::vector<float> learned(240, 0.5F);
  const auto table = testing::view("x", DType::kF32, {30, 8}, learned);
  EXPECT_EQ(kind_of_positions(table, "file"), "learned");
  EXPECT_THROW(kind_of_sinusoids(table, "file"), FormatError);
  const auto narrow = testing::view("x", DType::kF32, {80, 3}, learned);
  EXPECT_EQ(kind_of_positions(narrow, "file"), "learned");
  const auto flat = testing::view("x", DType::kF32, {240}, learned);
  EXPECT_THROW(kind_of_positions(flat, "file"), FormatError);
}

}  // namespace
}  // namespace phraseq
