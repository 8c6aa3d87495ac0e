// The arithmetic of the CUDA kernels, compiled as C++, against formulas in double precision. The
// same sources are compiled by NVRTC in compile_test.cpp.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/nn/kernels/random_bits.h"
#include "tests/core/cuda/kernels_on_host.h"

namespace phraseq::cuda {
namespace {

using on_host::narrowed;
using on_host::run;

/// Smooth numbers without a pattern that a wrong index would hide in.
std::vector<float> numbers(size_t count, double phase) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i * i % 1009) + phase));
  return values;
}

/// 0 or 1/(1-p), by the function that the kernels for the CPU use.
double factor(uint64_t key, double p, uint32_t element) {
  if (key == 0)
    return 1.0;
  const bool dropped = nn::kernels::random_bits(key, element) < nn::kernels::dropout_threshold(p);
  return dropped ? 0.0 : 1.0 / (1.0 - p);
}

constexpr int64_t kRows = 5;
constexpr int kColumns = 37;
constexpr double kEps = 1e-6, kP = 0.3;

/// LN(residual + dropout(x)) and its gradients, in double precision.
struct NormReference {
  std::vector<double> y, d_residual, dx, d_gain, d_bias;

  NormReference(const std::vector<double>& x,
                const std::vector<double>& residual,
                const std::vector<float>& gain,
                const std::vector<float>& bias,
                const std::vector<double>& dy,
                uint64_t key)
      : y(x.size()), d_residual(x.size()), dx(x.size()), d_gain(kColumns), d_bias(kColumns) {
    for (size_t row = 0; row < kRows; ++row) {
      const size_t start = row * kColumns;
      std::vector<double> z(kColumns), normed(kColumns);
      for (size_t c = 0; c < kColumns; ++c) {
        const auto element = static_cast<uint32_t>(start + c);
        z[c] = (residual.empty() ? 0.0 : residual[start + c]) +
               x[start + c] * factor(key, kP, element);
      }
      const double mean = std::accumulate(z.begin(), z.end(), 0.0) / kColumns;
      double variance = 0;
      for (const double value : z) variance += (value - mean) * (value - mean) / kColumns;
      const double rstd = 1.0 / std::sqrt(variance + kEps);
      double sum = 0, product = 0;
      for (size_t c = 0; c < kColumns; ++c) {
        normed[c] = (z[c] - mean) * rstd;
        y[start + c] = normed[c] * gain[c] + bias[c];
        d_gain[c] += dy[start + c] * normed[c];
        d_bias[c] += dy[start + c];
        sum += dy[start + c] * gain[c] / kColumns;
        product += dy[start + c] * gain[c] * normed[c] / kColumns;
      }
      for (size_t c = 0; c < kColumns; ++c) {
        d_residual[start + c] = rstd * (dy[start + c] * gain[c] - sum - normed[c] * product);
        dx[start + c] = d_residual[start + c] * factor(key, kP, static_cast<uint32_t>(start + c));
      }
    }
  }
};

template <class Found>
void expect_close(const std::vector<Found>& found,
                  const std::vector<double>& expected,
                  double tolerance,
                  const char* what) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << what << " " << i;
}

template <class Device>
std::vector<double> widened(const std::vector<typename Device::Element>& elements) {
  std::vector<double> values;
  for (const auto element : elements) values.push_back(Device::wide(element));
  return values;
}

/// The three kernels of one type of activations against the formulas.
template <class Device>
void expect_norm(double tolerance, bool with_residual, uint64_t key) {
  constexpr size_t kCount = kRows * kColumns;
  const auto x = narrowed<Device>(numbers(kCount, 0.1)),
             dy = narrowed<Device>(numbers(kCount, 0.9));
  const auto residual =
      narrowed<Device>(with_residual ? numbers(kCount, 0.5) : std::vector<float>());
  const auto gain = numbers(kColumns, 1.3), bias = numbers(kColumns, 2.1);
  const typename Device::NormShape shape{kRows,
                                         kColumns,
                                         static_cast<float>(kEps),
                                         key,
                                         nn::kernels::dropout_threshold(kP),
                                         static_cast<float>(1 / (1 - kP))};
  const auto* rest = with_residual ? residual.data() : nullptr;
  std::vector<typename Device::Element> y(kCount), d_residual(kCount), dx(kCount);
  std::vector<float> mean(kRows), rstd(kRows), partial(size_t{2} * 2 * kColumns);
  run(kRows, 1, [&] {
    Device::dropout_add_norm(
        x.data(), rest, gain.data(), bias.data(), y.data(), mean.data(), rstd.data(), shape);
  });
  run(kRows, 1, [&] {
    Device::dropout_add_norm_backward(dy.data(),
                                      x.data(),
                                      rest,
                                      gain.data(),
                                      mean.data(),
                                      rstd.data(),
                                      dx.data(),
                                      d_residual.data(),
                                      shape);
  });
  run(kColumns, 2, [&] {  // strips of 3 and 2 rows
    Device::norm_parameter_gradients(
        dy.data(), x.data(), rest, mean.data(), rstd.data(), partial.data(), 3, shape);
  });
  const NormReference expected(
      widened<Device>(x), widened<Device>(residual), gain, bias, widened<Device>(dy), key);
  expect_close(widened<Device>(y), expected.y, tolerance, "y");
  expect_close(widened<Device>(d_residual), expected.d_residual, tolerance, "d_residual");
  if (key != 0)
    expect_close(widened<Device>(dx), expected.dx, tolerance, "dx");
  std::vector<double> d_gain(kColumns), d_bias(kColumns);
  for (size_t c = 0; c < kColumns; ++c) {
    d_gain[c] = static_cast<double>(partial[c]) + partial[2 * kColumns + c];
    d_bias[c] = static_cast<double>(partial[kColumns + c]) + partial[3 * kColumns + c];
  }
  expect_close(d_gain, expected.d_gain, 1e-5, "d_gain");
  expect_close(d_bias, expected.d_bias, 1e-5, "d_bias");
}

TEST(CudaKernels, NormalizeAsTheFormulasDo) {
  for (const bool with_residual : {true, false}) {
    for (const uint64_t key : {uint64_t{0}, uint64_t{0x9e3779b97f4a7c15}}) {
      // Half a unit in the last place of each type.
      expect_norm<on_host::Fp32>(3e-6, with_residual, key);
      expect_norm<on_host::Bf16>(0x1.0p-8, with_residual, key);
      expect_norm<on_host::Fp16>(0x1.0p-11, with_residual, key);
    }
  }
}

/// residual + dropout(x), rounded once.
template <class Device>
void expect_dropout(double tolerance) {
  constexpr size_t kCount = 77;
  const uint64_t key = 0x9e3779b97f4a7c15ULL;
  const auto x = narrowed<Device>(numbers(kCount, 0.1)),
             residual = narrowed<Device>(numbers(kCount, 0.5));
  for (const bool adds : {false, true}) {
    std::vector<typename Device::Element> y(kCount);
    run(kCount + 3, 1, [&] {
      Device::dropout_add(x.data(),
                          adds ? residual.data() : nullptr,
                          y.data(),
                          kCount,
                          key,
                          nn::kernels::dropout_threshold(kP),
                          static_cast<float>(1 / (1 - kP)));
    });
    std::vector<double> expected;
    for (size_t i = 0; i < kCount; ++i) {
      expected.push_back((adds ? Device::wide(residual[i]) : 0.0) +
                         Device::wide(x[i]) * factor(key, kP, static_cast<uint32_t>(i)));
    }
    expect_close(widened<Device>(y), expected, tolerance, "y");
  }
}

TEST(CudaKernels, DropAndAddAsTheFormulaDoes) {
  expect_dropout<on_host::Fp32>(1e-6);
  expect_dropout<on_host::Bf16>(0x1.0p-8);
  expect_dropout<on_host::Fp16>(0x1.0p-11);
}

TEST(CudaKernels, DrawTheMasksOfTheCpu) {
  for (uint32_t element = 0; element < 1000; ++element) {
    const uint64_t key = 0x0123456789abcdefULL * (element + 1);
    ASSERT_EQ(on_host::Fp32::random_bits(key, element), nn::kernels::random_bits(key, element));
  }
}

TEST(CudaKernels, RoundToBf16AsTheFormatSays) {
  const auto narrow = [](float value) { return on_host::Bf16::narrow(value); };
  const auto of_bits = [](uint32_t bits) { return std::bit_cast<float>(bits); };
  EXPECT_EQ(narrow(of_bits(0x3f808000)), 0x3f80);  // a tie, to even
  EXPECT_EQ(narrow(of_bits(0x3f818000)), 0x3f82);
  EXPECT_EQ(narrow(of_bits(0x3f808001)), 0x3f81);
  EXPECT_EQ(narrow(of_bits(0x7f7fffff)), 0x7f80);  // beyond the largest: infinity
  EXPECT_TRUE(std::isnan(on_host::Bf16::wide(narrow(of_bits(0x7f800001)))));
  EXPECT_EQ(narrow(-0.0F), 0x8000);
}

/// The formulas of core/optim/optimizers/adam.h, in double precision.
TEST(CudaKernels, StepAsAdamDoes) {
  using Device = on_host::Bf16;
  constexpr size_t kElements = 50;
  std::vector<float> p = numbers(kElements, 0.2), m = numbers(kElements, 0.4), v(kElements);
  const std::vector<float> g = numbers(kElements, 1.7), other = numbers(kElements, 0.6);
  for (size_t i = 0; i < kElements; ++i) v[i] = other[i] * other[i];
  const std::vector<float> p0 = p, m0 = m, v0 = v;
  const Device::AdamStep by{0.9F, 0.1F, 0.98F, 0.02F, 0.999F, 0.05F, 1e-8F};
  std::vector<Device::Element> copy(kElements);
  bool take_step = false;
  const double scale = 0.25;
  const auto step = [&] {
    // One block more than there are elements: it does nothing.
    run(kElements + 1, 1, [&] {
      Device::adam(
          p.data(), g.data(), m.data(), v.data(), copy.data(), &take_step, &scale, kElements, by);
    });
  };
  step();
  EXPECT_EQ(p, p0);
  EXPECT_EQ(m, m0);
  take_step = true;
  step();
  for (size_t i = 0; i < kElements; ++i) {
    const double gradient = g[i] * 0.25;
    const double mean = 0.9 * m0[i] + 0.1 * gradient;
    const double square = 0.98 * v0[i] + 0.02 * gradient * gradient;
    const double value = 0.999 * p0[i] - 0.05 * mean / (std::sqrt(square) + 1e-8);
    ASSERT_NEAR(m[i], mean, 1e-6);
    ASSERT_NEAR(v[i], square, 1e-6);
    ASSERT_NEAR(p[i], value, 2e-6);
    ASSERT_EQ(copy[i], Device::narrow(p[i]));
  }
}

TEST(CudaKernels, EmbedAndAddUpTheGradientsOfRepeatedIds) {
  using Device = on_host::Fp32;
  constexpr int kVocabulary = 4, kWidth = 7;
  const std::vector<int64_t> ids = {2, 0, 2, 3, 2, 0}, positions = {0, 1, 2, 0, 1, 2};
  const auto tokens = static_cast<int64_t>(ids.size());
  const auto table = numbers(size_t{kVocabulary} * kWidth, 0.3), places = numbers(3 * kWidth, 0.8);
  const uint64_t key = 0x123456789abcdef1ULL;
  const Device::EmbeddingShape shape{tokens,
                                     kWidth,
                                     1.5F,
                                     key,
                                     nn::kernels::dropout_threshold(kP),
                                     static_cast<float>(1 / (1 - kP))};
  const auto as_device = [](const std::vector<int64_t>& values) {
    return std::vector<Device::int64>(values.begin(), values.end());
  };
  const auto device_ids = as_device(ids), device_positions = as_device(positions);
  std::vector<float> y(ids.size() * kWidth);
  run(static_cast<unsigned>(y.size()) + 3, 1, [&] {
    Device::embed(
        device_ids.data(), device_positions.data(), table.data(), places.data(), y.data(), shape);
  });
  const auto dy = numbers(y.size(), 1.1);
  std::vector<double> expected_gradient(table.size(), 0.5);
  for (size_t row = 0; row < ids.size(); ++row) {
    for (size_t c = 0; c < kWidth; ++c) {
      const size_t at = row * kWidth + c;
      const double kept = factor(key, kP, static_cast<uint32_t>(at));
      const size_t place = static_cast<size_t>(ids[row]) * kWidth + c;
      ASSERT_NEAR(
          y[at],
          kept * (1.5 * table[place] + places[static_cast<size_t>(positions[row]) * kWidth + c]),
          1e-6);
      if (ids[row] != 3)  // as if it were the padding
        expected_gradient[place] += 1.5 * kept * dy[at];
    }
  }
  std::vector<Device::int64> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return ids[static_cast<size_t>(a)] < ids[static_cast<size_t>(b)];
  });
  std::vector<Device::int64> sorted;
  for (const auto row : order) sorted.push_back(ids[static_cast<size_t>(row)]);
  std::vector<float> gradient(table.size(), 0.5F);
  run(static_cast<unsigned>(tokens), kWidth + 1, [&] {
    Device::embed_backward(dy.data(), sorted.data(), order.data(), gradient.data(), 3, shape);
  });
  expect_close(gradient, expected_gradient, 1e-6, "gradient");
}

}  // namespace
}  // namespace phraseq::cuda
