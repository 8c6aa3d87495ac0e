#include <cmath>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "core/nn/kernels/kernels.h"
#include "tests/core/nn/kernels/levels.h"

namespace phraseq::nn::kernels {
namespace {

constexpr double kScale = 0.3;

/// Two kinds of keys; those of the second kind combine parts of this token and the one before.
struct Problem {
  int64_t heads, head_dim, tokens, kinds;

  int64_t model() const { return heads * head_dim; }
  int64_t columns() const { return 4 * model(); }  // K, V, K of the second kind, V of it
  std::vector<KeyKind> keys() const {
    KeyKind plain{.key = {.column = 0}, .value = {.column = model()}, .scale = kScale};
    KeyKind joined{.index = 1,
                   .key = {.column = 2 * model(), .parts = 2, .part_lag = 1},
                   .value = {.column = 3 * model()},
                   .first = 1,
                   .scale = 2 * kScale};
    return kinds == 1 ? std::vector{plain} : std::vector{plain, joined};
  }
  std::vector<VectorLayout> queries() const {
    VectorLayout plain{.column = 0};
    VectorLayout joined{.column = model(), .parts = 2, .part_step = model()};
    return kinds == 1 ? std::vector{plain} : std::vector{plain, joined};
  }
};

/// Numbers that 16 bits hold exactly.
std::vector<double> numbers(int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<double> all(static_cast<size_t>(count));
  for (double& number : all) number = (static_cast<double>(generator() % 255) - 127) / 64;
  return all;
}

double score_of(const Problem& problem,
                const std::vector<double>& q,
                const std::vector<double>& kv,
                size_t kind,
                int64_t head,
                int64_t token) {
  const KeyKind key = problem.keys()[kind];
  const VectorLayout query = problem.queries()[kind];
  double sum = 0;
  for (int64_t part = 0; part < key.key.parts; ++part) {
    const int64_t row = token - key.key.part_lag * (key.key.parts - 1 - part);
    for (int64_t d = head * problem.head_dim; row >= 0 && d < (head + 1) * problem.head_dim; ++d)
      sum += q[static_cast<size_t>(query.column + part * query.part_step + d)] *
             kv[static_cast<size_t>(row * problem.columns() + key.key.column +
                                    part * key.key.part_step + d)];
  }
  return sum * key.scale;
}

/// Softmax over all kinds of keys of a head, and the weighted values: by the definition.
std::vector<double> expected(const Problem& problem,
                             const std::vector<double>& q,
                             const std::vector<double>& kv) {
  std::vector<double> out(static_cast<size_t>(problem.model()));
  const auto keys = problem.keys();
  for (int64_t head = 0; head < problem.heads; ++head) {
    double total = 0;
    for (size_t kind = 0; kind < keys.size(); ++kind) {
      for (int64_t token = keys[kind].first; token < problem.tokens; ++token) {
        const double weight = std::exp(score_of(problem, q, kv, kind, head, token));
        total += weight;
        for (int64_t d = head * problem.head_dim; d < (head + 1) * problem.head_dim; ++d)
          out[static_cast<size_t>(d)] +=
              weight *
              kv[static_cast<size_t>(token * problem.columns() + keys[kind].value.column + d)];
      }
    }
    for (int64_t d = head * problem.head_dim; d < (head + 1) * problem.head_dim; ++d)
      out[static_cast<size_t>(d)] /= total;
  }
  return out;
}

template <typename T>
T element(double number) {
  return static_cast<T>(number);
}
template <>
Bfloat16 element(double number) {
  const auto bits = __builtin_bit_cast(uint32_t, static_cast<float>(number));
  return {static_cast<uint16_t>(bits >> 16)};
}
double number(double element) { return element; }
double number(Bfloat16 element) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(element.bits) << 16);
}

template <typename T>
std::vector<T> elements(const std::vector<double>& numbers) {
  std::vector<T> all;
  for (const double number : numbers) all.push_back(element<T>(number));
  return all;
}

template <typename T>
std::vector<double> attended(Level level,
                             const Problem& problem,
                             const std::vector<double>& q,
                             const std::vector<double>& kv) {
  const auto keys = problem.keys();
  const auto queries = problem.queries();
  const AttendShape shape{problem.heads,
                          problem.head_dim,
                          keys.data(),
                          static_cast<int64_t>(keys.size()),
                          queries.data(),
                          queries.size() == 1};
  const std::vector<T> query = elements<T>(q), rows = elements<T>(kv);
  std::vector<const T*> places;
  for (int64_t token = 0; token < problem.tokens; ++token)
    places.push_back(rows.data() + token * problem.columns());
  using Weight = std::conditional_t<std::is_same_v<T, double>, double, float>;
  std::vector<Weight> weights(static_cast<size_t>(problem.heads * shape.keys_of(problem.tokens)) +
                              1);
  weights.back() = 7;  // beyond what the kernel may write
  std::vector<T> out(static_cast<size_t>(problem.model()) + 1, element<T>(7));
  kernels<T>(level).attend_row(
      query.data(), places.data(), problem.tokens, shape, weights.data(), out.data());
  EXPECT_EQ(weights.back(), 7);
  std::vector<double> result;
  for (const T& value : out) result.push_back(number(value));
  EXPECT_EQ(result.back(), 7);
  result.pop_back();
  return result;
}

template <typename T>
void expect_definition(const Problem& problem, double tolerance) {
  const std::vector<double> q = numbers(3 * problem.model(), 1);
  const std::vector<double> kv = numbers(problem.tokens * problem.columns(), 2);
  const std::vector<double> wanted = expected(problem, q, kv);
  for (const Level level : present_levels()) {
    const std::vector<double> found = attended<T>(level, problem, q, kv);
    for (size_t i = 0; i < wanted.size(); ++i)
      ASSERT_NEAR(found[i], wanted[i], tolerance)
          << "level " << static_cast<int>(level) << ", " << i;
  }
}

class AttendRow : public ::testing::TestWithParam<std::tuple<int64_t, int64_t, int64_t>> {};

TEST_P(AttendRow, IsTheDefinitionOnEveryLevel) {
  const auto& [heads, head_dim, kinds] = GetParam();
  for (const int64_t tokens : {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 33}) {
    SCOPED_TRACE(tokens);
    const Problem problem{heads, head_dim, tokens, kinds};
    expect_definition<float>(problem, 2e-6);
    expect_definition<double>(problem, 1e-13);
    expect_definition<Bfloat16>(problem, 8e-3);  // the rounding of the result
  }
}

// Widths of one, two, four and eight registers of some level, and others; numbers of heads that are
// and are not a multiple of those computed together.
INSTANTIATE_TEST_SUITE_P(Shapes,
                         AttendRow,
                         ::testing::Combine(::testing::Values(1, 3, 4, 8),
                                            ::testing::Values(3, 4, 8, 16, 20, 32, 40, 64, 128),
                                            ::testing::Values(1, 2)));

}  // namespace
}  // namespace phraseq::nn::kernels
