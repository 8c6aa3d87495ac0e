#include "core/search/sessions/ensemble_session.h"

#include <cmath>

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/search/toy_session.h"

namespace phraseq {
namespace {

using testing_search::ToySession;

std::unique_ptr<ToySession> constant(std::vector<double> p) {
  return std::make_unique<ToySession>(1, [p](int64_t, const std::vector<int64_t>&) { return p; });
}

std::unique_ptr<EnsembleSession> pair_of(std::unique_ptr<ToySession> a,
                                         std::unique_ptr<ToySession> b) {
  std::vector<std::unique_ptr<DecodingSession>> members;
  members.push_back(std::move(a));
  members.push_back(std::move(b));
  return std::make_unique<EnsembleSession>(std::move(members));
}

const at::Tensor kStart = at::tensor({kEos}, at::kLong);

TEST(EnsembleSession, AveragesProbabilitiesNotScores) {
  // The first model's scores are not normalized: 2, 1, 1 of 4.
  const auto ensemble = pair_of(constant({2, 1, 1}), constant({0.1, 0.6, 0.3}));
  const StepOutput output = ensemble->step(kStart);
  EXPECT_TRUE(output.normalized);
  EXPECT_NEAR(output.scores[0][0].item<double>(), std::log(0.3), 1e-12);
  EXPECT_NEAR(output.scores[0][1].item<double>(), std::log(0.425), 1e-12);
  EXPECT_NEAR(output.scores[0][2].item<double>(), std::log(0.275), 1e-12);
}

TEST(EnsembleSession, AveragesAttention) {
  auto a = constant({1}), b = constant({1});
  a->with_attention = b->with_attention = true;
  EXPECT_EQ(pair_of(std::move(a), std::move(b))->step(kStart).attention[0][0].item<float>(), -1.0f);
}

TEST(EnsembleSession, MovesTheRowsOfAllMembers) {
  const auto ensemble = pair_of(constant({0.5, 0.5}), constant({0.5, 0.5}));
  ensemble->step(kStart);
  ensemble->select({0, 0, 0});
  EXPECT_EQ(ensemble->rows(), 3);
  EXPECT_EQ(ensemble->step(at::tensor({1, 0, 1}, at::kLong)).scores.size(0), 3);
}

TEST(EnsembleSession, RejectsVocabulariesOfDifferentSizes) {
  const auto ensemble = pair_of(constant({0.5, 0.5}), constant({0.5, 0.2, 0.3}));
  EXPECT_THROW(ensemble->step(kStart), UsageError);
}

TEST(EnsembleSession, RejectsModelsWithPhrases) {
  auto with_phrases = constant({0.5, 0.5});
  with_phrases->phrases = {{4, 5}};
  EXPECT_THROW(pair_of(std::move(with_phrases), constant({0.5, 0.5})), UsageError);
}

}  // namespace
}  // namespace phraseq
