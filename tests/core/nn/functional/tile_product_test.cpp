#include "core/nn/functional/linear/tile_product.h"

#include <limits>
#include <tuple>
#include <vector>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "core/nn/functional/matrix_product.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using testing::close;
using testing::normal;

constexpr at::ScalarType kNarrow = at::kBFloat16;
constexpr double kRoundingOfBf16 = 1.0 / 256;

/// x in row-major and in column-major order, and as a part of a wider matrix.
std::vector<at::Tensor> layouts_of(const at::Tensor& x) {
  return {x, x.t().contiguous().t(), at::cat({x, x}, 1).narrow(1, 0, x.size(1))};
}

class TileProduct : public ::testing::Test {
 protected:
  void SetUp() override {
    const at::Tensor x = at::zeros({64, 64}, kNarrow);
    if (!tile_product_applies(x, x))
      GTEST_SKIP() << "this processor has no tile registers (AMX)";
  }
};

/// Rows, columns and depth below, at and above the size of a tile, of a block, and of the part that
/// is packed at once.
class TileProductOf : public TileProduct,
                      public ::testing::WithParamInterface<std::tuple<int64_t, int64_t, int64_t>> {
};

TEST_P(TileProductOf, EqualsTheProductOfTheSameNumbersInFp64) {
  const auto [rows, columns, depth] = GetParam();
  const at::Tensor a = normal({rows, depth}, 1, kNarrow), b = normal({depth, columns}, 2, kNarrow);
  const at::Tensor expected = at::mm(a.to(at::kDouble), b.to(at::kDouble));
  const at::Tensor start = normal({rows, columns + 3}, 3, at::kFloat);
  const double rounding = 1e-6 * static_cast<double>(depth);
  for (const at::Tensor& left : layouts_of(a)) {
    for (const at::Tensor& right : layouts_of(b)) {
      const at::Tensor y = at::zeros({rows, columns + 3}, kNarrow);
      tile_product(y.narrow(1, 0, columns), left, right);
      EXPECT_TRUE(close(y.narrow(1, 0, columns), expected, rounding, kRoundingOfBf16));
      EXPECT_EQ(y.narrow(1, columns, 3).count_nonzero().item<int64_t>(), 0);
      const at::Tensor sum = start.clone();
      add_tile_product(sum.narrow(1, 0, columns), left, right);
      EXPECT_TRUE(
          close(sum.narrow(1, 0, columns) - start.narrow(1, 0, columns), expected, rounding));
      EXPECT_TRUE(sum.narrow(1, columns, 3).equal(start.narrow(1, columns, 3)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes,
                         TileProductOf,
                         ::testing::Values(std::tuple(1, 1, 1),
                                           std::tuple(3, 20, 5),
                                           std::tuple(16, 16, 32),
                                           std::tuple(17, 31, 33),
                                           std::tuple(32, 48, 64),
                                           std::tuple(45, 33, 512),
                                           std::tuple(64, 70, 513),
                                           std::tuple(33, 1030, 96),
                                           std::tuple(100, 1057, 1100)));

TEST_F(TileProduct, OfARowDoesNotDependOnTheOthersOrOnThreads) {
  const at::Tensor a = normal({150, 600}, 1, kNarrow), b = normal({600, 200}, 2, kNarrow);
  const at::Tensor all = matrix_product(a, b);
  for (const int64_t rows : {1, 32}) {
    for (const int64_t first : {0, 7, 118})
      EXPECT_TRUE(matrix_product(a.narrow(0, first, rows), b).equal(all.narrow(0, first, rows)));
  }
  EXPECT_TRUE(matrix_product(a, b.narrow(1, 50, 40)).equal(all.narrow(1, 50, 40)));
  const int threads = at::get_num_threads();
  for (const int count : {1, 3}) {
    at::set_num_threads(count);
    EXPECT_TRUE(matrix_product(a, b).equal(all)) << count << " threads";
  }
  at::set_num_threads(threads);
}

TEST_F(TileProduct, KeepsNonFiniteNumbersInTheirRows) {
  for (const int64_t depth : {40, 64}) {
    const at::Tensor a = normal({50, depth}, 1, kNarrow), b = normal({depth, 50}, 2, kNarrow);
    a[20][depth - 1] = std::numeric_limits<float>::infinity();
    const at::Tensor finite = matrix_product(a, b).isfinite();
    EXPECT_FALSE(finite[20].any().item<bool>());
    EXPECT_EQ(finite.sum().item<int64_t>(), 49 * 50);
  }
}

/// If the products were rounded to bf16 first, ten products of 1 + 2^-9 and 1 would add up to 10.
TEST_F(TileProduct, IsNotRoundedBeforeItIsAdded) {
  const at::Tensor a = at::full({16, 32}, 1.0 / 32, kNarrow), b = at::ones({32, 16}, kNarrow);
  a.select(1, 0).fill_(1.0 / 32 + 1.0 / 512);
  const at::Tensor sum = at::zeros({16, 16}, at::kFloat);
  for (int i = 0; i < 10; ++i) add_matrix_product(sum, a, b);
  EXPECT_TRUE(close(sum, at::full({16, 16}, 10.0 * (1.0 + 1.0 / 512)), 1e-5));
}

}  // namespace
}  // namespace phraseq::nn
