#include "core/nn/functional/matrix_product.h"

#include <gtest/gtest.h>

#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using testing::close;
using testing::normal;

/// Sizes below and above the threshold at which another library is used, and strides of every kind.
TEST(MatrixProduct, EqualsTheProductInFp64WhateverSizesAndStrides) {
  for (const int64_t rows : {3, 200}) {
    for (const int64_t columns : {5, 70}) {
      const at::Tensor a = normal({rows, 40}, 1), b = normal({40, columns}, 2);
      const at::Tensor a_across = a.t().contiguous().t(), b_across = b.t().contiguous().t();
      const at::Tensor wide = at::cat({a, a}, 1).to(at::kFloat);
      for (const at::Tensor& left :
           {a.to(at::kFloat), a_across.to(at::kFloat), wide.narrow(1, 0, 40)}) {
        for (const at::Tensor& right : {b.to(at::kFloat), b_across.to(at::kFloat)})
          EXPECT_TRUE(close(matrix_product(left, right), at::mm(a, b), 2e-5));
      }
      EXPECT_TRUE(close(matrix_product(a, b), at::mm(a, b), 1e-13));
    }
  }
}

TEST(MatrixProduct, IsAddedToWhatIsThere) {
  for (const int64_t rows : {3, 200}) {
    const at::Tensor a = normal({rows, 40}, 1), b = normal({40, 70}, 2);
    at::Tensor sum = normal({rows, 70}, 3, at::kFloat);
    const at::Tensor expected = sum.to(at::kDouble) + at::mm(a, b);
    add_matrix_product(sum, a.to(at::kFloat), b.to(at::kFloat));
    EXPECT_TRUE(close(sum, expected, 2e-5));
  }
}

}  // namespace
}  // namespace phraseq::nn
