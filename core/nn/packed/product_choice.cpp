#include "core/nn/packed/product_choice.h"

#include <limits>

namespace phraseq::nn {
namespace {

constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

/// The largest number of rows for which a level's own kernel is used.
struct MostRows {
  kernels::Level level;
  int64_t fp32;
};

/// v3 and v4: at least as fast as MKL for all numbers of rows on AMD EPYCs of family 25 and 26, on
/// the latter 2.3 times (tests/bench/kernels/products_bench.cpp); and a row's product does not
/// depend on the number of rows. baseline: the libraries use wider registers than the own kernel.
constexpr MostRows kMaxRows[] = {
    {kernels::Level::kBaseline, 16},
    {kernels::Level::kV3, kAny},
    {kernels::Level::kV4, kAny},
};

}  // namespace

bool own_product_pays(int64_t rows, Quantization kind, kernels::Level level) {
  if (kind != Quantization::kNone)
    return true;
  for (const MostRows& most : kMaxRows) {
    if (most.level == level)
      return rows <= most.fp32;
  }
  return false;
}

}  // namespace phraseq::nn
