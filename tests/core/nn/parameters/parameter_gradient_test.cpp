#include "core/nn/parameters/parameter_gradient.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace phraseq::nn {
namespace {

TEST(ParameterGradient, IsAddedInPlaceAndNotReturnedToAutograd) {
  const at::Tensor flat = at::full({6}, 10.0F);
  ParameterGradient gradient(flat.narrow(0, 2, 3), {3}, flat.options());
  gradient.add(at::tensor({1.0F, 2.0F, 3.0F}));
  gradient.add(at::tensor({1.0F, 2.0F, 3.0F}));
  EXPECT_FALSE(gradient.for_autograd().defined());
  EXPECT_TRUE(at::equal(flat, at::tensor({10.0F, 10.0F, 12.0F, 14.0F, 16.0F, 10.0F})));
}

TEST(ParameterGradient, WithoutAPlaceIsASumForAutograd) {
  ParameterGradient gradient({}, {2}, at::TensorOptions(at::kDouble));
  gradient.add(at::tensor({1.5, -2.0}, at::kDouble));
  gradient.add(at::tensor({0.25, 1.0}, at::kDouble));
  EXPECT_TRUE(at::equal(gradient.for_autograd(), at::tensor({1.75, -1.0}, at::kDouble)));
}

TEST(ParameterGradient, AddsProductsOfMatricesToAPlaceWithinWiderRows) {
  const at::Tensor wide = at::ones({2, 5});
  ParameterGradient gradient(wide.narrow(1, 1, 3), {2, 3}, wide.options());  // [2, 3]
  const at::Tensor a = at::tensor({1.0F, 2.0F, 3.0F, 4.0F}).view({2, 2});
  const at::Tensor b = at::tensor({1.0F, 0.0F, 1.0F, 0.0F, 1.0F, 1.0F}).view({2, 3});
  gradient.add_product(a, b);
  const at::Tensor expected =
      at::tensor({1.0F, 2.0F, 3.0F, 4.0F, 1.0F, 1.0F, 4.0F, 5.0F, 8.0F, 1.0F}).view({2, 5});
  EXPECT_TRUE(at::equal(wide, expected));
}

TEST(ParameterGradient, CollectsBf16InFp32) {
  ParameterGradient gradient({}, {2}, at::TensorOptions(at::kFloat));
  for (int i = 0; i < 300; ++i) gradient.add(at::ones({2}, at::kBFloat16));
  EXPECT_TRUE(at::equal(gradient.sum(), at::tensor({300.0F, 300.0F})));  // bf16 would stop at 256
}

}  // namespace
}  // namespace phraseq::nn
