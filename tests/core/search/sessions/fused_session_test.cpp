#include "core/search/sessions/fused_session.h"

#include <cmath>

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/search/constraints.h"
#include "core/text/dictionary.h"
#include "tests/core/search/toy_session.h"

namespace phraseq {
namespace {

using testing_search::ToySession;

std::unique_ptr<ToySession> fixed(std::vector<double> p) {
  return std::make_unique<ToySession>(1, [p](int64_t, const std::vector<int64_t>&) { return p; });
}

at::Tensor start_token() { return at::tensor({kEos}, at::kLong); }

TEST(FusedSession, AddsTheWeightedLogProbabilitiesAndDoesNotNormalizeThem) {
  // The scores are not normalized: 2, 1, 1 of 4 and 1, 3, 4 of 8.
  FusedSession fused(fixed({2, 1, 1}), fixed({1, 3, 4}), 0.5);
  const StepOutput output = fused.step(start_token());
  EXPECT_TRUE(output.normalized);
  const double expected[] = {std::log(0.5) + 0.5 * std::log(0.125),
                             std::log(0.25) + 0.5 * std::log(0.375),
                             std::log(0.25) + 0.5 * std::log(0.5)};
  for (int64_t column = 0; column < 3; ++column)
    EXPECT_NEAR(output.scores[0][column].item<double>(), expected[column], 1e-12);
}

TEST(FusedSession, ForbidsWhatOneOfTheModelsForbids) {
  for (const double weight : {0.3, -0.3}) {
    FusedSession fused(fixed({1, 0, 1, 1}), fixed({1, 1, 0, 1}), weight);
    const at::Tensor scores = fused.step(start_token()).scores;
    for (const int64_t column : {1, 2})
      EXPECT_TRUE(is_forbidden_score(scores[0][column].item<double>())) << weight;
    for (const int64_t column : {0, 3})
      EXPECT_FALSE(is_forbidden_score(scores[0][column].item<double>())) << weight;
  }
}

TEST(FusedSession, MovesTheRowsOfBoth) {
  FusedSession fused(fixed({0.5, 0.5}), fixed({0.5, 0.5}), 1);
  fused.step(start_token());
  fused.select({0, 0, 0});
  EXPECT_EQ(fused.rows(), 3);
  EXPECT_EQ(fused.step(at::tensor({1, 0, 1}, at::kLong)).scores.size(0), 3);
}

TEST(FusedSession, KeepsTheModelsAttention) {
  auto model = fixed({1});
  model->with_attention = true;
  FusedSession fused(std::move(model), fixed({1}), 1);
  EXPECT_TRUE(fused.step(start_token()).attention.defined());
}

TEST(FusedSession, RejectsAVocabularyOfAnotherSize) {
  FusedSession fused(fixed({0.5, 0.5}), fixed({0.5, 0.2, 0.3}), 1);
  EXPECT_THROW(fused.step(start_token()), UsageError);
}

}  // namespace
}  // namespace phraseq
