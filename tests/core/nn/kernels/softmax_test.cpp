#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/nn/kernels/kernels.h"
#include "tests/core/nn/kernels/levels.h"

namespace phraseq::nn::kernels {
namespace {

template <typename Number>
constexpr Number kInfinity = std::numeric_limits<Number>::infinity();

template <typename Number>
std::vector<Number> scores(int64_t count) {
  std::mt19937 generator(3);
  std::uniform_int_distribution<int> steps(-40, 40);  // many are equal
  std::vector<Number> all(static_cast<size_t>(count));
  for (Number& score : all) score = static_cast<Number>(steps(generator)) / 4;
  return all;
}

/// Calls `check` with the loops of every level and a zero of their number type.
template <typename Check>
void on_all_levels(const Check& check) {
  for (const Level level : present_levels()) {
    SCOPED_TRACE(static_cast<int>(level));
    check(kernels<float>(level), float{});
    check(kernels<double>(level), double{});
  }
}

TEST(SoftmaxKernels, MarksEveryScoreThatReachesTheBound) {
  on_all_levels([](const auto& loops, auto zero) {
    using Number = decltype(zero);
    for (const int64_t count : {int64_t{1}, int64_t{9}, int64_t{63}, kScoreBlock}) {
      std::vector<Number> all = scores<Number>(count);
      all[static_cast<size_t>(count / 2)] = std::numeric_limits<Number>::quiet_NaN();
      all[static_cast<size_t>(count / 3)] = -kInfinity<Number>;
      for (const Number bound : {-kInfinity<Number>, Number{-3}, Number{0}, Number{100}}) {
        const uint64_t marks = loops.reaching(all.data(), count, bound);
        for (int64_t i = 0; i < kScoreBlock; ++i)
          EXPECT_EQ((marks >> i & 1) == 1, i < count && all[static_cast<size_t>(i)] >= bound) << i;
      }
    }
  });
}

TEST(SoftmaxKernels, FindsTheMaximumOfEveryBlock) {
  on_all_levels([](const auto& loops, auto zero) {
    using Number = decltype(zero);
    for (const int64_t count : {int64_t{1}, int64_t{64}, int64_t{65}, int64_t{200}}) {
      const std::vector<Number> all = scores<Number>(count);
      std::vector<Number> maxima(static_cast<size_t>((count + kScoreBlock - 1) / kScoreBlock));
      EXPECT_FALSE(loops.block_maxima(all.data(), count, maxima.data()));
      for (size_t block = 0; block < maxima.size(); ++block) {
        const auto begin = all.begin() + static_cast<int64_t>(block) * kScoreBlock;
        EXPECT_EQ(maxima[block],
                  *std::max_element(begin, std::min(begin + kScoreBlock, all.end())));
      }
    }
  });
}

TEST(SoftmaxKernels, SeesNumbersThatAreNotFiniteAnywhere) {
  on_all_levels([](const auto& loops, auto zero) {
    using Number = decltype(zero);
    std::vector<Number> maxima(2);
    for (size_t place = 0; place < 100; ++place) {
      for (const Number bad : {kInfinity<Number>, std::numeric_limits<Number>::quiet_NaN()}) {
        std::vector<Number> all = scores<Number>(100);
        all[place] = -kInfinity<Number>;
        EXPECT_FALSE(loops.block_maxima(all.data(), 100, maxima.data())) << place;
        all[place] = bad;
        EXPECT_TRUE(loops.block_maxima(all.data(), 100, maxima.data())) << place;
      }
    }
  });
}

TEST(SoftmaxKernels, SumsExponentialsAndIgnoresThoseFarBelow) {
  on_all_levels([](const auto& loops, auto zero) {
    using Number = decltype(zero);
    std::vector<Number> all = scores<Number>(150);
    all[3] = -kInfinity<Number>;
    all[70] = Number{-500};
    double sum = 0;
    for (const Number score : all) sum += std::exp(static_cast<double>(score) - 10.0);
    const double precision = sizeof(Number) == sizeof(float) ? 1e-6 : 1e-14;
    EXPECT_NEAR(loops.shifted_sum(all.data(), 150, Number{10}), sum, precision * sum);
  });
}

TEST(SoftmaxKernels, ExponentialIsBoundedAndKeepsNan) {
  for (const Level level : present_levels()) {
    const auto& loops = kernels<float>(level);
    const auto exponential = [&](float x) { return loops.shifted_sum(&x, 1, 0.0F); };
    EXPECT_EQ(exponential(-87.5F), 0.0);
    EXPECT_NEAR(exponential(-86.875F), std::exp(-86.875), 1e-6 * std::exp(-86.875));
    EXPECT_NEAR(exponential(88.0F), std::exp(88.0), 1e-6 * std::exp(88.0));
    EXPECT_NEAR(exponential(1e30F), std::exp(88.0), 1e-6 * std::exp(88.0));
    EXPECT_NEAR(exponential(kInfinity<float>), std::exp(88.0), 1e-6 * std::exp(88.0));
    EXPECT_TRUE(std::isnan(exponential(std::numeric_limits<float>::quiet_NaN())));
  }
}

}  // namespace
}  // namespace phraseq::nn::kernels
