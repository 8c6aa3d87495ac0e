#include "core/nn/packed/candidate_scores.h"

#include <cmath>
#include <limits>
#include <vector>

#include <ATen/ops/logsumexp.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "core/nn/flat_parameters.h"
#include "core/nn/packed/packed_weights.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::normal;
using Ids = std::vector<int64_t>;

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

struct OutputMatrix : torch::nn::Module {
  at::Tensor weight = register_parameter("weight", normal({301, 12}, 1).to(at::kFloat), false);
  at::Tensor bias = register_parameter("bias", normal({301}, 2).to(at::kFloat), false);
};

class ScoresOfCandidates : public ::testing::Test {
 protected:
  ScoresOfCandidates() : flat_(module_, /*with_gradients=*/false) {
    pack_weights(flat_.values(), Quantization::kNone);
    output_.hidden = normal({6, 12}, 3).to(at::kFloat);
    output_.output_weight = module_.weight;
    output_.output_bias = module_.bias;
    for (int64_t id = 0; id < 301; id += 2) candidates_[0].push_back(id);
    candidates_[1] = {2, 3, 5, 17, 300};
  }

  std::vector<ScoreAnswer> answer(const ScoreQuery& query, const Ids& sentences) {
    const c10::InferenceMode guard;
    CandidateScores candidates(candidates_);
    const auto scores = candidates.of(output_, sentences);
    EXPECT_EQ(scores->columns(), 301);
    return scores->answer(std::vector<ScoreQuery>(sentences.size(), query));
  }

  /// The logits [rows, words] in double precision; those of impossible words are -infinity.
  at::Tensor logits(const Ids& sentences) const {
    const at::Tensor all =
        at::matmul(output_.hidden.to(at::kDouble), module_.weight.to(at::kDouble).t()) +
        module_.bias.to(at::kDouble);  // [rows, words]
    at::Tensor kept = at::full_like(all, kImpossible);
    for (int64_t row = 0; row < all.size(0); ++row) {
      for (const int64_t id : candidates_[static_cast<size_t>(sentences[static_cast<size_t>(row)])])
        kept[row][id] = all[row][id];
    }
    for (const int64_t id : output_.forbidden) kept.select(1, id).clamp_max_(-1e9);  // [rows]
    return kept;
  }

  OutputMatrix module_;
  FlatParameters flat_;
  DecoderOutput output_;
  std::vector<Ids> candidates_ = std::vector<Ids>(2);
};

TEST_F(ScoresOfCandidates, AreTheLogitsOfEachSentencesWordsAlone) {
  const Ids sentences = {0, 0, 1, 1, 1, 0};
  output_.forbidden = {4, 17};
  const at::Tensor expected = logits(sentences);
  const auto found = answer({4, {5, 2, 8}}, sentences);
  for (int64_t row = 0; row < 6; ++row) {
    const ScoreAnswer& one = found[static_cast<size_t>(row)];
    EXPECT_NEAR(one.normalizer, at::logsumexp(expected[row], 0).item<double>(), 1e-5);
    const Ids named = {5, 2, 8};
    for (size_t i = 0; i < 3; ++i) {
      const auto score = expected[row][named[i]].item<double>();
      if (std::isinf(score)) {
        EXPECT_EQ(one.scores[i], kImpossible);
      } else {
        EXPECT_NEAR(one.scores[i], score, 1e-4);
      }
    }
    at::Tensor others = expected[row].clone();  // [words]
    for (const int64_t id : named) others[id] = kImpossible;
    const auto order = std::get<1>(others.sort(/*dim=*/0, /*descending=*/true));
    const size_t left = sentences[static_cast<size_t>(row)] == 0 ? 4 : 3;
    ASSERT_EQ(one.best.size(), left);
    for (size_t i = 0; i < left; ++i)
      EXPECT_EQ(one.best[i].column, order[static_cast<int64_t>(i)].item<int64_t>());
  }
}

TEST_F(ScoresOfCandidates, DoNotDependOnTheOtherSentencesToTheBit) {
  const auto among = answer({5, {2}}, {0, 0, 0, 1, 1, 1})[4];
  output_.hidden = output_.hidden.narrow(0, 4, 1);  // [1, model]
  const auto alone = answer({5, {2}}, {1}).front();
  EXPECT_EQ(alone.normalizer, among.normalizer);
  EXPECT_EQ(alone.scores, among.scores);
  for (size_t i = 0; i < alone.best.size(); ++i)
    EXPECT_EQ(alone.best[i].log_probability, among.best[i].log_probability);
}

TEST(PackedWeights, AreReleasedAfterTheirModel) {
  const int64_t others = release_packed_weights();
  {
    OutputMatrix module;
    const FlatParameters flat(module, /*with_gradients=*/false);
    pack_weights(flat.values(), Quantization::kNone);
    EXPECT_EQ(release_packed_weights(), others + 1);
    EXPECT_NE(packed_weights_of(module.weight), nullptr);
  }
  EXPECT_EQ(release_packed_weights(), others);
}

TEST_F(ScoresOfCandidates, InEightBitsAreCloseToThoseIn32) {
  const auto expected = answer({3, {}}, {0, 0, 0, 0, 0, 0});
  pack_weights(flat_.values(), Quantization::kInt8);
  const auto found = answer({3, {}}, {0, 0, 0, 0, 0, 0});
  for (size_t row = 0; row < 6; ++row) {
    EXPECT_NE(found[row].normalizer, expected[row].normalizer);
    EXPECT_NEAR(found[row].normalizer, expected[row].normalizer, 0.1);
  }
}

TEST_F(ScoresOfCandidates, AreNotThereWhenGradientsAreRecordedOrTheMatrixIsNotPacked) {
  CandidateScores candidates(candidates_);
  EXPECT_EQ(candidates.of(output_, {0, 0, 0, 0, 0, 0}), nullptr);
  const c10::InferenceMode guard;
  output_.output_weight = normal({301, 12}, 9).to(at::kFloat);
  EXPECT_EQ(candidates.of(output_, {0, 0, 0, 0, 0, 0}), nullptr);
}

}  // namespace
}  // namespace phraseq::nn
