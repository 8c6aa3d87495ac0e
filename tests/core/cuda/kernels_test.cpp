// The arithmetic of the CUDA kernels, compiled as C++, against formulas in double precision. The
// same sources are compiled by NVRTC in compile_test.cpp.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/nn/kernels/random_bits.h"
#include "tests/core/cuda/kernels_on_host.h"

namespace phraseq::cuda {
namespace {

using on_host::narrowed;
using on_host::run;

/// Smooth numbers without a period, so that a wrong index changes the result.
std::vector<float> numbers(size_t count, double phase) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i * i % 1009) + phase));
  return values;
}

/// 0 or 1/(1-p), computed by the function that the kernels for the CPU use.
double factor(uint64_t key, double p, uint32_t element) {
  if (key == 0)
    return 1.0;
  const bool dropped = nn::kernels::random_bits(key, element) < nn::kernels::dropout_threshold(p);
  return dropped ? 0.0 : 1.0 / (1.0 - p);
}

TEST(HalfOnTheHost, IsRoundedAsInCheckpoints) {
  std::vector<double> values;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float half = on_host::host_from_half(static_cast<unsigned short>(bits));
    if (!std::isnan(half)) {
      EXPECT_EQ(on_host::host_to_half(half), bits);
    }
    if (std::isfinite(half)) {
      const double last_bit = std::ldexp(1.0, std::max(std::ilogb(half) - 10, -24));
      values.insert(values.end(), {half, 1.0003 * half, half + 0.5 * last_bit});
    }
  }
  const std::string expected = float_bytes(values, DType::kF16);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto found = on_host::host_to_half(static_cast<float>(values[i]));
    ASSERT_EQ(std::memcmp(&found, expected.data() + 2 * i, 2), 0) << values[i];
  }
}

constexpr int64_t kRows = 5;
constexpr double kEps = 1e-6, kP = 0.3;

/// LN(residual + dropout(x)) and its gradients, in double precision.
struct NormReference {
  std::vector<double> y, d_residual, dx, d_gain, d_bias;

  NormReference(size_t kColumns,
                const std::vector<double>& x,
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
      const auto count = static_cast<double>(kColumns);
      const double mean = std::accumulate(z.begin(), z.end(), 0.0) / count;
      double variance = 0;
      for (const double value : z) variance += (value - mean) * (value - mean) / count;
      const double rstd = 1.0 / std::sqrt(variance + kEps);
      double sum = 0, product = 0;
      for (size_t c = 0; c < kColumns; ++c) {
        normed[c] = (z[c] - mean) * rstd;
        y[start + c] = normed[c] * gain[c] + bias[c];
        d_gain[c] += dy[start + c] * normed[c];
        d_bias[c] += dy[start + c];
        sum += dy[start + c] * gain[c] / count;
        product += dy[start + c] * gain[c] * normed[c] / count;
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

/// Compares both kernels of one type of activations with the formulas, with warps of 3 and 2 rows.
template <class Device, int kColumns = 37>
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
  run(2, 1, [&] {
    Device::dropout_add_norm(
        x.data(), rest, gain.data(), bias.data(), y.data(), mean.data(), rstd.data(), shape);
  });
  run(2, 1, [&] {
    Device::dropout_add_norm_backward(dy.data(),
                                      x.data(),
                                      rest,
                                      gain.data(),
                                      mean.data(),
                                      rstd.data(),
                                      dx.data(),
                                      d_residual.data(),
                                      partial.data(),
                                      shape);
  });
  const NormReference expected(kColumns,
                               widened<Device>(x),
                               widened<Device>(residual),
                               gain,
                               bias,
                               widened<Device>(dy),
                               key);
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
      expect_norm<on_host::Bf16InPacks, 40>(0x1.0p-8, with_residual, key);
      expect_norm<on_host::Fp16>(0x1.0p-11, with_residual, key);
    }
  }
}

template <class Device>
typename Device::DropoutShape dropout_shape(size_t count, uint64_t key) {
  return {static_cast<typename Device::int64>(count),
          key,
          nn::kernels::dropout_threshold(kP),
          static_cast<float>(1 / (1 - kP))};
}

/// The last pack is not full, and one thread has nothing to do.
constexpr size_t kElements = 77;
template <class Device>
unsigned threads_for(size_t elements) {
  return static_cast<unsigned>(elements * sizeof(typename Device::Element) / 16 + 2);
}

/// residual + dropout(x), rounded once.
template <class Device>
void expect_dropout(double tolerance) {
  const uint64_t key = 0x9e3779b97f4a7c15ULL;
  const auto x = narrowed<Device>(numbers(kElements, 0.1)),
             residual = narrowed<Device>(numbers(kElements, 0.5));
  for (const bool adds : {false, true}) {
    std::vector<typename Device::Element> y(kElements);
    run(threads_for<Device>(kElements), 1, [&] {
      Device::dropout_add(x.data(),
                          adds ? residual.data() : nullptr,
                          y.data(),
                          dropout_shape<Device>(kElements, key));
    });
    std::vector<double> expected;
    for (size_t i = 0; i < kElements; ++i) {
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

/// Strips of 10 rows are more than a lane reads at a time; the last strip is shorter.
constexpr size_t kStripRows = 10, kManyRows = 27;

/// Adds the sums of three strips.
std::vector<float> added_up(const std::vector<float>& partial, size_t columns) {
  std::vector<float> sums(columns);
  for (size_t i = 0; i < partial.size(); ++i) sums[i % columns] += partial[i];
  return sums;
}

template <class Device>
typename Device::ColumnStrips strips_of(size_t columns) {
  return {kManyRows, kStripRows, static_cast<int>(columns)};
}

/// Tests dropout(max(x, 0)), its gradient and the column sums of the gradient, also for tensors
/// that begin in the middle of a pack.
template <class Device>
void expect_relu(double tolerance, uint64_t key, size_t offset, size_t columns) {
  using Element = typename Device::Element;
  SCOPED_TRACE(columns);
  const size_t count = kManyRows * columns, all = offset + count;
  std::vector<Element> x = narrowed<Device>(numbers(all, 0.1));
  const auto dy = narrowed<Device>(numbers(all, 0.9));
  std::vector<Element> y(all), dx(all);
  run(threads_for<Device>(count), 1, [&] {
    Device::relu_dropout(x.data() + offset, y.data() + offset, dropout_shape<Device>(count, key));
  });
  const auto kept = static_cast<float>(key == 0 ? 1.0 : 1 / (1 - kP));
  std::vector<float> partial(3 * columns, NAN);
  run(3, 2, [&] {
    Device::relu_dropout_backward(dy.data() + offset,
                                  y.data() + offset,
                                  dx.data() + offset,
                                  partial.data(),
                                  kept,
                                  strips_of<Device>(columns));
  });
  std::vector<double> out(offset), gradient(offset), sums(columns);
  for (size_t i = 0; i < count; ++i) {
    const double value = Device::wide(x[offset + i]);
    const double by = value > 0 ? factor(key, kP, static_cast<uint32_t>(i)) : 0.0;
    out.push_back(value * by);
    gradient.push_back(Device::wide(dy[offset + i]) * by);
    sums[i % columns] += Device::wide(dx[offset + i]);
  }
  expect_close(widened<Device>(y), out, tolerance, "y");
  expect_close(widened<Device>(dx), gradient, tolerance, "dx");
  expect_close(added_up(partial, columns), sums, 1e-6, "sums");
}

TEST(CudaKernels, RectifyAndDropAsTheFormulaDoes) {
  for (const uint64_t key : {uint64_t{0}, uint64_t{0x9e3779b97f4a7c15}}) {
    for (const size_t offset : {0, 3}) {
      for (const size_t columns : {24, 37, 272}) {
        expect_relu<on_host::Fp32>(1e-6, key, offset, columns);
        expect_relu<on_host::Bf16>(0x1.0p-8, key, offset, columns);
        expect_relu<on_host::Fp16>(0x1.0p-11, key, offset, columns);
      }
    }
  }
}

TEST(CudaKernels, KeepNotANumberBehindReLU) {
  using Device = on_host::Bf16;
  const Device::Element x = Device::narrow(std::nanf(""));
  Device::Element y = 0;
  run(1, 1, [&] { Device::relu_dropout(&x, &y, dropout_shape<Device>(1, 0)); });
  EXPECT_TRUE(std::isnan(Device::wide(y)));
}

/// The columns may or may not fill packs, and form one chunk or two.
template <class Device>
void expect_column_sums(size_t columns) {
  const auto x = narrowed<Device>(numbers(kManyRows * columns, 0.4));
  std::vector<float> partial(3 * columns, NAN);
  run(3, 2, [&] { Device::column_sums(x.data(), partial.data(), strips_of<Device>(columns)); });
  std::vector<double> expected(columns);
  for (size_t i = 0; i < x.size(); ++i) expected[i % columns] += Device::wide(x[i]);
  expect_close(added_up(partial, columns), expected, 1e-6, "sum");
}

TEST(CudaKernels, AddUpColumns) {
  for (const size_t columns : {24, 37, 272}) {
    expect_column_sums<on_host::Fp32>(columns);
    expect_column_sums<on_host::Bf16>(columns);
    expect_column_sums<on_host::Fp16>(columns);
  }
}

/// The classes of a loss.
struct LossCase {
  std::vector<long long> unsmoothed, excluded;
  bool has_bias;
  int columns;
};

/// Loss, -ln p(gold), whether the gold class is best, and the gradient of a row, in double
/// precision.
struct LossReference {
  double loss, nll, correct;
  std::vector<double> gradient;

  LossReference(const std::vector<double>& z, const LossCase& by, size_t gold, bool is_plain) {
    const auto is_in = [](const std::vector<long long>& ids, size_t id) {
      return std::find(ids.begin(), ids.end(), static_cast<long long>(id)) != ids.end();
    };
    const double uniform = is_plain ? 0.01 : 0.002, extra = is_plain ? 0.8 : 0.9;
    double total = 0, sum = 0, top = -1e30;
    for (size_t c = 0; c < z.size(); ++c) {
      if (is_in(by.excluded, c))
        continue;
      total += std::exp(z[c]);
      top = std::max(top, z[c]);
    }
    for (size_t c = 0; c < z.size(); ++c) sum += is_in(by.unsmoothed, c) ? 0.0 : z[c];
    const double log_sum = std::log(total);
    const auto smoothed = static_cast<double>(z.size() - by.unsmoothed.size());
    loss = uniform * (smoothed * log_sum - sum) + extra * (log_sum - z[gold]) + 0.25;
    nll = log_sum - z[gold];
    correct = z[gold] >= top ? 1 : 0;
    for (size_t c = 0; c < z.size(); ++c) {
      const double p = is_in(by.excluded, c) ? 0.0 : std::exp(z[c] - log_sum);
      const double q = (is_in(by.unsmoothed, c) ? 0.0 : uniform) + (c == gold ? extra : 0.0);
      gradient.push_back(2.0 * (p - q));
    }
  }
};

template <class Device>
void expect_loss(double tolerance, const LossCase& by) {
  constexpr size_t kLossRows = 3;
  const auto columns = static_cast<size_t>(by.columns);
  std::vector<float> values = numbers(kLossRows * columns, 0.3);
  for (float& value : values) value *= 6.0F;
  values[9] = 9.0F;  // makes the gold class of the first row the best one
  auto logits = narrowed<Device>(values);
  const auto bias = numbers(columns, 0.7);
  // The second row's gold class is one of those without smoothing, if there are any.
  const std::vector<typename Device::int64> gold = {
      9, by.unsmoothed.empty() ? 4 : by.unsmoothed.back(), by.columns - 1};
  const std::vector<double> before = widened<Device>(logits);
  std::vector<float> results(3 * kLossRows);
  const typename Device::LossShape shape{kLossRows,
                                         by.columns,
                                         static_cast<int>(by.unsmoothed.size()),
                                         static_cast<int>(by.excluded.size()),
                                         1,
                                         2.0F,
                                         {0.002F, 0.9F, 0.25F},
                                         {0.01F, 0.8F, 0.25F}};
  run(kLossRows + 1, 1, [&] {
    Device::cross_entropy(logits.data(),
                          by.has_bias ? bias.data() : nullptr,
                          gold.data(),
                          by.unsmoothed.data(),
                          by.excluded.data(),
                          results.data(),
                          shape);
  });
  const std::vector<double> gradient = widened<Device>(logits);
  for (size_t row = 0; row < kLossRows; ++row) {
    std::vector<double> z(before.begin() + static_cast<std::ptrdiff_t>(row * columns),
                          before.begin() + static_cast<std::ptrdiff_t>((row + 1) * columns));
    for (size_t c = 0; c < columns; ++c) z[c] += by.has_bias ? bias[c] : 0.0F;
    const LossReference expected(
        z, by, static_cast<size_t>(gold[row]), row == 1 && !by.unsmoothed.empty());
    EXPECT_NEAR(results[row], expected.loss, 1e-5 * (1 + expected.loss));
    EXPECT_NEAR(results[kLossRows + row], expected.nll, 1e-5 * (1 + expected.nll));
    EXPECT_EQ(results[2 * kLossRows + row], expected.correct);
    for (size_t c = 0; c < columns; ++c)
      ASSERT_NEAR(gradient[row * columns + c], expected.gradient[c], tolerance) << row << " " << c;
  }
}

TEST(CudaKernels, ComputeTheLossAsTheFormulasDo) {
  const LossCase cases[] = {{{}, {}, false, 40},
                            {{}, {}, true, 37},
                            {{1, 3, 17}, {1}, true, 40},
                            {{0, 2, 3, 30}, {0, 2}, false, 37}};
  for (const LossCase& each : cases) {
    SCOPED_TRACE(each.columns);
    expect_loss<on_host::Fp32>(1e-5, each);
    expect_loss<on_host::Bf16>(0x1.0p-7, each);
    expect_loss<on_host::Fp16>(0x1.0p-10, each);
  }
}

TEST(CudaKernels, GiveAGoldClassOutsideTheSoftmaxNoProbability) {
  using Device = on_host::Fp32;
  std::vector<float> logits = {1, 2, 3, 4, 5};
  const Device::int64 gold = 4, excluded = 4;
  std::vector<float> results(3);
  const Device::LossShape shape{1, 5, 1, 1, 1, 1.0F, {0, 1, 0}, {0, 1, 0}};
  run(1, 1, [&] {
    Device::cross_entropy(
        logits.data(), nullptr, &gold, &excluded, &excluded, results.data(), shape);
  });
  EXPECT_EQ(results[1], INFINITY);
  EXPECT_EQ(results[2], 0.0F);
  EXPECT_NEAR(
      logits[3], std::exp(4) / (std::exp(1) + std::exp(2) + std::exp(3) + std::exp(4)), 1e-6);
}

/// Packed queries and keys of sentences, and the attention of two heads over them in double
/// precision.
struct AttentionCase {
  std::vector<int> query_lengths, key_lengths;
  bool causal;
  uint64_t key;  ///< of the dropout mask of the weights

  static constexpr int kHeads = 2, kWidth = kHeads * on_host::kHeadDim;
  static constexpr double kScale = 0.21;

  static int tokens(const std::vector<int>& lengths) {
    return std::accumulate(lengths.begin(), lengths.end(), 0);
  }
};

using Matrix = std::vector<double>;  // [tokens, kWidth]

struct AttentionReference {
  Matrix out, dq, dk, dv;

  AttentionReference(const AttentionCase& by,
                     const Matrix& q,
                     const Matrix& k,
                     const Matrix& v,
                     const Matrix& dout)
      : out(q.size()), dq(q.size()), dk(k.size()), dv(k.size()) {
    int first_query = 0, first_key = 0;
    for (size_t s = 0; s < by.query_lengths.size(); ++s) {
      for (int i = 0; i < by.query_lengths[s]; ++i) {
        for (int head = 0; head < AttentionCase::kHeads; ++head) {
          const int seen = by.causal ? i + 1 : by.key_lengths[s];
          attend(by, {q, k, v, dout}, first_query + i, first_key, seen, head);
        }
      }
      first_query += by.query_lengths[s];
      first_key += by.key_lengths[s];
    }
  }

 private:
  struct Inputs {
    const Matrix &q, &k, &v, &dout;
  };

  static double dot(const Matrix& a, size_t i, const Matrix& b, size_t j) {
    double sum = 0;
    for (size_t c = 0; c < on_host::kHeadDim; ++c) sum += a[i + c] * b[j + c];
    return sum;
  }
  static void add(Matrix& sum, size_t i, double factor, const Matrix& x, size_t j) {
    for (size_t c = 0; c < on_host::kHeadDim; ++c) sum[i + c] += factor * x[j + c];
  }
  static size_t place(int row, int head) {
    return static_cast<size_t>(row) * AttentionCase::kWidth +
           static_cast<size_t>(head) * on_host::kHeadDim;
  }

  void attend(const AttentionCase& by, const Inputs& in, int row, int first, int seen, int head) {
    const size_t at = place(row, head);
    std::vector<double> weights, factors;
    double total = 0;
    for (int j = 0; j < seen; ++j) {
      weights.push_back(
          std::exp(AttentionCase::kScale * dot(in.q, at, in.k, place(first + j, head))));
      total += weights.back();
      factors.push_back(
          factor(by.key,
                 kP,
                 nn::kernels::attention_row_element(row, AttentionCase::kHeads, head) +
                     static_cast<uint32_t>(j)));
    }
    std::vector<double> up(weights.size());
    double mean = 0;
    for (size_t j = 0; j < weights.size(); ++j) {
      const size_t key_at = place(first + static_cast<int>(j), head);
      weights[j] /= total;
      add(out, at, weights[j] * factors[j], in.v, key_at);
      add(dv, key_at, weights[j] * factors[j], in.dout, at);
      up[j] = factors[j] * dot(in.dout, at, in.v, key_at);
      mean += weights[j] * up[j];
    }
    for (size_t j = 0; j < weights.size(); ++j) {
      const size_t key_at = place(first + static_cast<int>(j), head);
      const double d_score = AttentionCase::kScale * weights[j] * (up[j] - mean);
      add(dq, at, d_score, in.k, key_at);
      add(dk, key_at, d_score, in.q, at);
    }
  }
};

/// Makes the same tiles as core/nn/functional/device/attention/attention_tiles.h.
template <class Device>
std::vector<typename Device::AttentionTile> tiles_of(const std::vector<int>& lengths,
                                                     const std::vector<int>& others) {
  std::vector<typename Device::AttentionTile> tiles;
  int first = 0, first_other = 0;
  for (size_t s = 0; s < lengths.size(); ++s) {
    for (int place = 0; place < lengths[s]; place += 16)
      tiles.push_back(
          {first + place, std::min(16, lengths[s] - place), place, first_other, others[s]});
    first += lengths[s];
    first_other += others[s];
  }
  return tiles;
}

/// The inputs and outputs of attention.
template <class Device>
struct Matrices {
  using Elements = std::vector<typename Device::Element>;
  struct Given {
    const Elements &q, &k, &v, &dout;
  };
  struct Found {
    Elements &out, &dq, &dk, &dv;
  };
};

/// Runs the kernels that compute a tile of queries or of keys at a time.
template <class Device>
void attend_tiles(const AttentionCase& by,
                  const typename Matrices<Device>::Given& in,
                  const typename Matrices<Device>::Found& to,
                  std::vector<float>& log_sums,
                  typename Device::AttentionShape shape) {
  const auto query_tiles = tiles_of<Device>(by.query_lengths, by.key_lengths),
             key_tiles = tiles_of<Device>(by.key_lengths, by.query_lengths);
  std::vector<float> deltas(log_sums.size());
  const auto warps = [](const auto& tiles) { return static_cast<unsigned>(tiles.size() + 1); };
  shape.tiles = static_cast<long long>(query_tiles.size());
  run(warps(query_tiles), AttentionCase::kHeads, [&] {
    Device::attention(in.q.data(),
                      in.k.data(),
                      in.v.data(),
                      query_tiles.data(),
                      to.out.data(),
                      log_sums.data(),
                      shape);
  });
  run(warps(query_tiles), AttentionCase::kHeads, [&] {
    Device::attention_backward_queries(in.dout.data(),
                                       in.q.data(),
                                       in.k.data(),
                                       in.v.data(),
                                       to.out.data(),
                                       query_tiles.data(),
                                       log_sums.data(),
                                       deltas.data(),
                                       to.dq.data(),
                                       shape);
  });
  shape.tiles = static_cast<long long>(key_tiles.size());
  run(warps(key_tiles), AttentionCase::kHeads, [&] {
    Device::attention_backward_keys(in.dout.data(),
                                    in.q.data(),
                                    in.k.data(),
                                    in.v.data(),
                                    key_tiles.data(),
                                    log_sums.data(),
                                    deltas.data(),
                                    to.dk.data(),
                                    to.dv.data(),
                                    shape);
  });
}

/// Runs the kernels that compute a whole sentence at a time.
template <class Device>
void attend_sentences(const AttentionCase& by,
                      const typename Matrices<Device>::Given& in,
                      const typename Matrices<Device>::Found& to,
                      std::vector<float>& log_sums,
                      typename Device::AttentionShape shape) {
  std::vector<typename Device::AttentionSentence> sentences;
  int query = 0, key = 0;
  for (size_t s = 0; s < by.query_lengths.size(); ++s) {
    sentences.push_back({query, by.query_lengths[s], key, by.key_lengths[s]});
    query += by.query_lengths[s];
    key += by.key_lengths[s];
  }
  shape.tiles = static_cast<long long>(sentences.size());
  const auto blocks = static_cast<unsigned>(sentences.size());
  run(blocks, AttentionCase::kHeads, [&] {
    Device::attention_of_sentences(in.q.data(),
                                   in.k.data(),
                                   in.v.data(),
                                   sentences.data(),
                                   to.out.data(),
                                   log_sums.data(),
                                   shape);
  });
  run(blocks, AttentionCase::kHeads, [&] {
    Device::attention_backward_of_sentences(in.dout.data(),
                                            in.q.data(),
                                            in.k.data(),
                                            in.v.data(),
                                            to.out.data(),
                                            sentences.data(),
                                            log_sums.data(),
                                            to.dq.data(),
                                            to.dk.data(),
                                            to.dv.data(),
                                            shape);
  });
}

template <class Device>
void expect_attention(double tolerance, const AttentionCase& by) {
  using Element = typename Device::Element;
  const int queries = AttentionCase::tokens(by.query_lengths),
            keys = AttentionCase::tokens(by.key_lengths);
  const auto matrix = [](int tokens, double phase) {
    return narrowed<Device>(numbers(static_cast<size_t>(tokens) * AttentionCase::kWidth, phase));
  };
  const auto q = matrix(queries, 0.2), dout = matrix(queries, 1.1);
  const auto k = matrix(keys, 0.5), v = matrix(keys, 0.8);
  std::vector<Element> out(q.size()), dq(q.size()), dk(k.size()), dv(k.size());
  std::vector<float> log_sums(static_cast<size_t>(2 * queries));
  const typename Device::AttentionShape shape{0,
                                              AttentionCase::kWidth,
                                              AttentionCase::kWidth,
                                              AttentionCase::kWidth,
                                              queries,
                                              AttentionCase::kHeads,
                                              by.causal ? 1 : 0,
                                              static_cast<float>(AttentionCase::kScale),
                                              by.key,
                                              nn::kernels::dropout_threshold(kP),
                                              static_cast<float>(1 / (1 - kP))};
  attend_tiles<Device>(by, {q, k, v, dout}, {out, dq, dk, dv}, log_sums, shape);
  const AttentionReference expected(
      by, widened<Device>(q), widened<Device>(k), widened<Device>(v), widened<Device>(dout));
  const auto expect_results = [&] {
    expect_close(widened<Device>(out), expected.out, tolerance, "out");
    expect_close(widened<Device>(dq), expected.dq, tolerance, "dq");
    expect_close(widened<Device>(dk), expected.dk, tolerance, "dk");
    expect_close(widened<Device>(dv), expected.dv, tolerance, "dv");
  };
  expect_results();
  const std::vector<float> log_sums_of_tiles = log_sums;
  for (auto* const results : {&out, &dq, &dk, &dv}) results->assign(results->size(), Element{});
  log_sums.assign(log_sums.size(), NAN);
  attend_sentences<Device>(by, {q, k, v, dout}, {out, dq, dk, dv}, log_sums, shape);
  SCOPED_TRACE("by sentences");
  expect_results();
  EXPECT_EQ(log_sums, log_sums_of_tiles);
}

/// Sentences shorter than a tile, of whole tiles, and longer; the two sides have the same or
/// different lengths.
TEST(CudaKernels, AttendAsTheFormulasDo) {
  const std::vector<int> lengths = {5, 16, 1, 37, 33};
  const AttentionCase cases[] = {{lengths, lengths, false, 0},
                                 {lengths, lengths, true, 0},
                                 {lengths, {17, 3, 40, 16, 1}, false, 0},
                                 {lengths, lengths, true, 0x9e3779b97f4a7c15},
                                 {{0, 9, 3, 0, 20}, {4, 18, 33, 2, 1}, false, 0x12345}};
  for (const AttentionCase& each : cases) {
    expect_attention<on_host::Fp32>(2e-5, each);
    // Weights, and gradients of scores, are rounded before they are multiplied.
    expect_attention<on_host::Bf16>(0x1.0p-6, each);
    expect_attention<on_host::Fp16>(0x1.0p-9, each);
  }
}

/// The past of five rows of a search: three steps in a block of seven rows, and two in a block of
/// six.
template <class Device>
void expect_past_attention(double tolerance) {
  constexpr size_t kSearchRows = 5, kSteps = 5, kHeads = 2, kModel = kHeads * on_host::kHeadDim;
  constexpr double kScale = 0.3;
  const std::array<size_t, kSteps> starts = {0, 7, 14, 30, 36};  // rows between the blocks: unused
  auto past = narrowed<Device>(numbers(42 * 2 * kModel, 0.3));
  const auto kvq = narrowed<Device>(numbers(kSearchRows * 3 * kModel, 0.9));
  std::vector<int> ancestors;  // [rows, steps + 1]
  for (size_t i = 0; i < kSearchRows * (kSteps + 1); ++i)
    ancestors.push_back(static_cast<int>(i * i % 5));
  std::vector<typename Device::Element> out(kSearchRows * kModel);
  const typename Device::PastBlocks blocks{2, {0, 3}, {7, 6}, {0, 30 * 2 * kModel}};
  const typename Device::PastShape shape{
      kSearchRows, 3 * kModel, kSteps + 1, kModel, kSteps, static_cast<float>(kScale)};
  run(kSearchRows + 1, kHeads, [&] {
    Device::attend_to_past(kvq.data(), past.data(), ancestors.data(), out.data(), blocks, shape);
  });
  std::vector<double> expected(out.size());
  const auto rows = widened<Device>(kvq), keys = widened<Device>(past);
  for (size_t row = 0; row < kSearchRows; ++row) {
    for (size_t c = 0; c < 2 * kModel; ++c)
      ASSERT_EQ(keys[(starts.back() + row) * 2 * kModel + c], rows[row * 3 * kModel + c]);
  }
  for (size_t row = 0; row < kSearchRows; ++row) {
    for (size_t c = 0; c < kModel; ++c) {
      const size_t head = c / on_host::kHeadDim * on_host::kHeadDim;
      double total = 0, sum = 0;
      for (size_t step = 0; step < kSteps; ++step) {
        const bool is_newest = step + 1 == kSteps;
        const auto ancestor =
            is_newest ? row : static_cast<size_t>(ancestors[row * (kSteps + 1) + step]);
        const size_t at = (starts[step] + ancestor) * 2 * kModel;
        double score = 0;
        for (size_t i = head; i < head + on_host::kHeadDim; ++i)
          score += rows[row * 3 * kModel + 2 * kModel + i] * keys[at + i];
        total += std::exp(kScale * score);
        sum += std::exp(kScale * score) * keys[at + kModel + c];
      }
      expected[row * kModel + c] = sum / total;
    }
  }
  expect_close(widened<Device>(out), expected, tolerance, "out");
}

TEST(CudaKernels, AttendToThePastOfARow) {
  expect_past_attention<on_host::Fp32>(2e-5);
  expect_past_attention<on_host::Bf16>(0x1.0p-7);
  expect_past_attention<on_host::Fp16>(0x1.0p-10);
}

/// Three rows; the second one has only a few distinct scores.
template <class Device>
void expect_best_columns(int columns, int best) {
  SCOPED_TRACE(testing::Message() << columns << " columns, " << best);
  const auto width = static_cast<size_t>(columns), wanted = static_cast<size_t>(best);
  std::vector<float> values = numbers(3 * width, 0.7);
  for (size_t c = 0; c < width; ++c) values[width + c] = std::round(2 * values[width + c]);
  const auto scores = narrowed<Device>(values);
  const std::vector<long long> asked = {3, 0, 1, 3, columns - 1, 2};
  const size_t stride = 2 * wanted + 3;
  std::vector<float> found(3 * stride, NAN);
  run(3, 1, [&] {
    Device::best_columns(scores.data(), asked.data(), found.data(), {3, columns, best, 2});
  });
  for (size_t row = 0; row < 3; ++row) {
    const float* const own = found.data() + row * stride;
    std::vector<size_t> order(width);
    std::iota(order.begin(), order.end(), 0);
    const auto score = [&](size_t column) { return Device::wide(scores[row * width + column]); };
    std::stable_sort(
        order.begin(), order.end(), [&](size_t a, size_t b) { return score(a) > score(b); });
    double total = 0;
    for (size_t c = 0; c < width; ++c) total += std::exp(static_cast<double>(score(c)));
    for (size_t i = 0; i < wanted; ++i) {
      ASSERT_EQ(own[i], score(order[i])) << row << ' ' << i;
      ASSERT_EQ(own[wanted + i], static_cast<float>(order[i])) << row << ' ' << i;
    }
    for (size_t i = 0; i < 2; ++i)
      EXPECT_EQ(own[2 * wanted + i], score(static_cast<size_t>(asked[2 * row + i])));
    EXPECT_NEAR(own[stride - 1], std::log(total), 1e-5);
  }
}

TEST(CudaKernels, FindTheBestColumns) {
  for (const int columns : {43, 500, 4096}) {
    for (const int most : {0, 1, 8, 40, 128, 130}) {
      const int best = std::min(most, columns);
      expect_best_columns<on_host::Fp32>(columns, best);
      expect_best_columns<on_host::Bf16>(columns, best);
      expect_best_columns<on_host::Fp16>(columns, best);
    }
  }
}

/// Multiplies three rows of 24 columns, which are part of a matrix of 32 columns.
template <class Device>
void expect_few_rows_product(double tolerance, bool relu) {
  constexpr size_t kFew = 3, kInner = 24, kStride = 32, kOut = 5;
  const auto x = narrowed<Device>(numbers(kFew * kStride, 0.3)),
             weight = narrowed<Device>(numbers(kOut * kInner, 0.8)),
             bias = narrowed<Device>(numbers(kOut, 1.9));
  std::vector<typename Device::Element> y(kFew * kOut);
  const typename Device::FewRowsShape shape{kFew, kInner, kOut, kStride, relu ? 1 : 0};
  run(kOut + 1, 1, [&] {
    Device::few_rows_product(x.data(), weight.data(), bias.data(), y.data(), shape);
  });
  std::vector<double> expected;
  for (size_t row = 0; row < kFew; ++row) {
    for (size_t column = 0; column < kOut; ++column) {
      double sum = Device::wide(bias[column]);
      for (size_t i = 0; i < kInner; ++i)
        sum += static_cast<double>(Device::wide(x[row * kStride + i])) *
               Device::wide(weight[column * kInner + i]);
      expected.push_back(relu ? std::max(sum, 0.0) : sum);
    }
  }
  expect_close(widened<Device>(y), expected, tolerance, "y");
}

TEST(CudaKernels, MultiplyFewRows) {
  for (const bool relu : {false, true}) {
    expect_few_rows_product<on_host::Fp32>(1e-5, relu);
    expect_few_rows_product<on_host::Bf16>(0x1.0p-7, relu);
    expect_few_rows_product<on_host::Fp16>(0x1.0p-10, relu);
  }
}

TEST(CudaKernels, TellScoresThatAreNotFinite) {
  using Device = on_host::Fp32;
  const long long asked = 0;
  for (const float bad : {std::nanf(""), INFINITY}) {
    std::vector<float> scores = numbers(100, 0.7), found(6);
    scores[41] = bad;
    run(1, 1, [&] { Device::best_columns(scores.data(), &asked, found.data(), {1, 100, 2, 1}); });
    EXPECT_TRUE(std::isnan(found[5])) << bad;
  }
  const std::vector<float> nothing(40, -INFINITY);
  std::vector<float> found(6);
  run(1, 1, [&] { Device::best_columns(nothing.data(), &asked, found.data(), {1, 40, 2, 1}); });
  EXPECT_TRUE(std::isnan(found[5]));
  EXPECT_EQ(found[0], -INFINITY);
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
  std::vector<float> p = numbers(kElements, 0.2), m = numbers(kElements, 0.4), v(kElements);
  const std::vector<float> g = numbers(kElements, 1.7), other = numbers(kElements, 0.6);
  for (size_t i = 0; i < kElements; ++i) v[i] = other[i] * other[i];
  const std::vector<float> p0 = p, m0 = m, v0 = v;
  const Device::AdamStep by{0.9F, 0.1F, 0.98F, 0.02F, 0.999F, 0.05F, 1e-8F};
  std::vector<Device::Element> copy(kElements);
  bool take_step = false;
  const double scale = 0.25;
  const auto step = [&] {
    // There is one block more than elements; it does nothing.
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
  std::vector<int64_t> ids, positions;  // the id 2 occurs more often than one thread adds up
  for (int64_t i = 0; i < 150; ++i) {
    ids.push_back(i % 7 == 0 ? 0 : i % 11 == 0 ? 3 : i % 13 == 0 ? 1 : 2);
    positions.push_back(i % 3);
  }
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
      if (ids[row] != 3)  // 3 is treated as the padding
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
  std::vector<float> gradient(table.size(), 0.5F), partial(y.size(), NAN);
  run(static_cast<unsigned>(tokens), kWidth + 1, [&] {
    Device::embed_backward_cuts(dy.data(), sorted.data(), order.data(), partial.data(), 3, shape);
  });
  run(static_cast<unsigned>(tokens), kWidth + 1, [&] {
    Device::embed_backward(partial.data(), sorted.data(), gradient.data(), 3, shape);
  });
  expect_close(gradient, expected_gradient, 1e-5, "gradient");
}

}  // namespace
}  // namespace phraseq::cuda
