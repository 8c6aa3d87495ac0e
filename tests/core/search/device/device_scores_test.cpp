#include "core/search/device/device_scores.h"

#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/search/row_ranking.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

DecodingStep on_host(const at::Tensor& scores, bool normalized = false) {
  return {{scores, normalized, {}}};
}
DecodingStep on_device(const at::Tensor& scores, bool normalized = false) {
  return {{scores, normalized, {}}, std::make_shared<DeviceScores>(scores, normalized)};
}

void expect_same_ranks(const at::Tensor& scores,
                       const std::vector<StepConstraint>& constraints,
                       int64_t k,
                       bool normalized = false) {
  const auto expected = rank_rows(on_host(scores, normalized), constraints, k);
  const auto found = rank_rows(on_device(scores, normalized), constraints, k);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t row = 0; row < found.size(); ++row) {
    ASSERT_EQ(found[row].size(), expected[row].size()) << row;
    for (size_t i = 0; i < found[row].size(); ++i) {
      EXPECT_EQ(found[row][i].column, expected[row][i].column) << row << ' ' << i;
      EXPECT_NEAR(found[row][i].log_probability, expected[row][i].log_probability, 2e-6);
    }
  }
}

/// One row for each kind of constraint.
std::vector<StepConstraint> all_kinds() {
  return {{},
          {kAnyToken, {{1, -kInfinity}, {2, -kInfinity}, {3, -0.75}}},
          {17, {{17, -1.5}}},
          {2, {}, /*costs_nothing=*/true},
          {kNoDecision, {}},
          {kAnyToken, {{40, 9.0}, {41, 8.0}}}};
}

TEST(DeviceScores, AreRankedAsThoseOfTheHost) {
  at::manual_seed(5);
  for (const int64_t columns : {43, 500}) {
    const at::Tensor scores = at::randn({6, columns}) * 4;
    for (const int64_t k : {1, 8, 43}) expect_same_ranks(scores, all_kinds(), k);
    expect_same_ranks(scores.to(at::kDouble), all_kinds(), 8);
    expect_same_ranks(scores.log_softmax(1), all_kinds(), 8, /*normalized=*/true);
  }
}

/// In bf16, many scores are equal: the lower column wins.
TEST(DeviceScores, OfEqualScoresTakeTheLowerColumn) {
  at::manual_seed(6);
  const at::Tensor scores = at::randint(0, 6, {6, 43}).to(at::kFloat);
  expect_same_ranks(scores, all_kinds(), 4);
}

TEST(DeviceScores, FallBackToTheEndWhereNothingElseIsAllowed) {
  at::manual_seed(7);
  std::vector<ScoreEdit> all;
  for (int64_t column = 0; column < 9; ++column) all.push_back({column, -kInfinity});
  expect_same_ranks(at::randn({1, 9}), {{-1, all}}, 4);
}

/// The score of a column that a model forbids is finite. The edits are those of --min-len and of a
/// large --unkpen.
TEST(DeviceScores, OfForbiddenColumnsAreNotRanked) {
  const at::Tensor scores = at::tensor({-1e9, -1e9, 3.0, 2.0, 1.0}, at::kFloat).unsqueeze(0);
  const std::vector<StepConstraint> unlikely = {{kAnyToken, {{2, -kInfinity}, {3, -1e20}}}};
  const std::vector<StepConstraint> nothing_left = {
      {kAnyToken, {{2, -kInfinity}, {3, -kInfinity}, {4, -kInfinity}}}};
  for (const bool normalized : {false, true}) {
    for (const DecodingStep& step : {on_host(scores, normalized),
                                     on_host(scores.to(at::kDouble), normalized),
                                     on_device(scores, normalized)}) {
      const auto ranked = rank_rows(step, unlikely, 5).front();
      ASSERT_EQ(ranked.size(), 2U);
      EXPECT_EQ(ranked[0].column, 4);
      EXPECT_EQ(ranked[1].column, 3);
      const auto last_resort = rank_rows(step, nothing_left, 5).front();
      ASSERT_EQ(last_resort.size(), 1U);
      EXPECT_EQ(last_resort[0].column, kEos);
      EXPECT_GT(last_resort[0].log_probability, -1);
    }
  }
}

TEST(DeviceScores, ThatAreNotFiniteEndTheSearch) {
  for (const double bad : {std::nan(""), kInfinity}) {
    at::Tensor scores = at::randn({2, 11});
    scores[1][3] = bad;
    EXPECT_THROW(rank_rows(on_device(scores), {{}, {}}, 3), DivergenceError) << bad;
    EXPECT_THROW(rank_rows(on_device(scores, true), {{}, {}}, 3), DivergenceError) << bad;
  }
  const at::Tensor nothing = at::full({1, 5}, -kInfinity);
  EXPECT_THROW(rank_rows(on_device(nothing), {{}}, 3), DivergenceError);
  EXPECT_THROW(rank_rows(on_device(nothing, true), {{}}, 3), DivergenceError);
}

}  // namespace
}  // namespace phraseq
