#pragma once

#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "core/data/batch.h"

namespace phraseq::testing {

/// Whether shapes are equal and |a - b| <= absolute + relative · |b| everywhere; NaN never passes.
inline ::testing::AssertionResult close(const at::Tensor& a,
                                        const at::Tensor& b,
                                        double absolute,
                                        double relative = 0.0) {
  if (a.sizes() != b.sizes()) {
    return ::testing::AssertionFailure() << "shapes " << a.sizes() << " and " << b.sizes();
  }
  if (a.numel() == 0)
    return ::testing::AssertionSuccess();
  const at::Tensor wide_a = a.detach().to(at::kDouble);
  const at::Tensor wide_b = b.detach().to(at::kDouble);
  const at::Tensor excess = (wide_a - wide_b).abs() - relative * wide_b.abs();
  if (excess.max().item<double>() <= absolute)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "differ by " << (wide_a - wide_b).abs().max().item<double>() << "\n"
         << a << "\n"
         << b;
}

/// Normally distributed numbers from the seed.
inline at::Tensor normal(at::IntArrayRef sizes, uint64_t seed, at::ScalarType type = at::kDouble) {
  auto generator = at::detail::createCPUGenerator(seed);
  return at::normal(0.0, 1.0, sizes, generator).to(type);
}

inline at::Tensor leaf(const at::Tensor& value) {
  return value.detach().clone().requires_grad_(true);
}

/// Compares the gradient of a scalar function with central differences in fp64, whose error is the
/// square of the step, 1e-10, times third derivatives, plus rounding of 1e-16 / 1e-5.
template <typename Function>
void expect_gradient(const at::Tensor& at_point, const Function& function) {
  const at::Tensor point = leaf(at_point);
  function(point).backward();
  constexpr double kStep = 1e-5;
  at::Tensor differences = at::empty_like(at_point).reshape({-1});
  for (int64_t i = 0; i < at_point.numel(); ++i) {
    const auto value = [&](double shift) {
      at::Tensor moved = at_point.detach().clone();
      moved.view({-1})[i] += shift;
      return function(moved).template item<double>();
    };
    differences[i] = (value(kStep) - value(-kStep)) / (2.0 * kStep);
  }
  EXPECT_TRUE(close(point.grad(), differences.view_as(at_point), 3e-8));
}

/// Packed sentences of these lengths; ids are not set.
inline PackedTokens sentences(const std::vector<int64_t>& lengths) {
  PackedTokens packed;
  packed.offsets = {0};
  for (const int64_t length : lengths) packed.offsets.push_back(packed.offsets.back() + length);
  return packed;
}

}  // namespace phraseq::testing
