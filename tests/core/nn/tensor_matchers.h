#pragma once

#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/data/batch.h"

namespace phraseq::testing {

/// Same shape and |a - b| <= absolute + relative · |b| everywhere; NaN never passes.
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

/// Normal numbers from a seed of their own.
inline at::Tensor normal(at::IntArrayRef sizes, uint64_t seed, at::ScalarType type = at::kDouble) {
  auto generator = at::detail::createCPUGenerator(seed);
  return at::normal(0.0, 1.0, sizes, generator).to(type);
}

inline at::Tensor leaf(const at::Tensor& value) {
  return value.detach().clone().requires_grad_(true);
}

/// Packed sentences of these lengths; ids are not set.
inline PackedTokens sentences(const std::vector<int64_t>& lengths) {
  PackedTokens packed;
  packed.offsets = {0};
  for (const int64_t length : lengths) packed.offsets.push_back(packed.offsets.back() + length);
  return packed;
}

}  // namespace phraseq::testing
