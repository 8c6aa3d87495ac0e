#include "core/nn/packed/packed_scores.h"

#include <cmath>
#include <limits>
#include <vector>

#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "core/nn/flat_parameters.h"
#include "core/nn/functional/linear.h"
#include "core/nn/packed/packed_weights.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::close;
using phraseq::testing::normal;

/// An output matrix of 5,003 words: several segments, the last one odd.
struct Projection : torch::nn::Module {
  explicit Projection(int64_t words, int64_t model) {
    weight = register_parameter("weight", normal({words, model}, 1).to(at::kFloat), false);
    bias = register_parameter("bias", normal({words}, 2).to(at::kFloat), false);
  }
  at::Tensor weight, bias;
};

class DeferredScoresOfAMatrix : public ::testing::Test {
 protected:
  DeferredScoresOfAMatrix() : flat_(projection_, /*with_gradients=*/false) {
    pack_weights(flat_.values(), Quantization::kNone);
    output_.hidden = normal({67, 12}, 3).to(at::kFloat);
    output_.output_weight = projection_.weight;
    output_.output_bias = projection_.bias;
  }

  std::vector<ScoreAnswer> answer(const ScoreQuery& query) {
    const c10::InferenceMode guard;
    const auto scores = packed_scores(output_, context_);
    const std::vector<ScoreQuery> queries(static_cast<size_t>(scores->rows()), query);
    return scores->answer(queries);
  }

  /// The logits [rows, words] in double precision; forbidden words have none.
  at::Tensor logits() const {
    at::Tensor sums = at::matmul(output_.hidden.to(at::kDouble),
                                 projection_.weight.to(at::kDouble).t()) +
                      projection_.bias.to(at::kDouble);                         // [rows, words]
    for (const int64_t id : output_.forbidden) sums.select(1, id).fill_(-1e9);  // [rows]
    return sums;
  }

  Projection projection_{5003, 12};
  FlatParameters flat_;
  Context context_{/*training=*/false, Precision::kFp32, 0, &flat_};
  DecoderOutput output_;
};

TEST_F(DeferredScoresOfAMatrix, HaveTheNormalizerOfAllColumns) {
  const auto answers = answer({});
  const at::Tensor expected = at::logsumexp(logits(), 1);  // [rows]
  for (size_t row = 0; row < answers.size(); ++row)
    EXPECT_NEAR(answers[row].normalizer, expected[static_cast<int64_t>(row)].item<double>(), 1e-5);
}

TEST_F(DeferredScoresOfAMatrix, AreTheBestColumnsExceptNamedOnes) {
  output_.forbidden = {17, 4999};
  for (int64_t row = 0; row < 67; row += 11) {
    const at::Tensor scores = logits()[row];  // [words]
    const auto order = std::get<1>(scores.sort(/*dim=*/0, /*descending=*/true));
    const ScoreQuery query{9, {order[2].item<int64_t>(), 17, 5002}};
    const auto found = answer(query)[static_cast<size_t>(row)];
    ASSERT_EQ(found.best.size(), 9u);
    for (int64_t i = 0; i < 9; ++i)
      EXPECT_EQ(found.best[static_cast<size_t>(i)].column,
                order[i < 2 ? i : i + 1].item<int64_t>());
    EXPECT_NEAR(found.scores[0], scores[order[2].item<int64_t>()].item<double>(), 1e-4);
    EXPECT_EQ(found.scores[1], -1e9F);
  }
}

TEST_F(DeferredScoresOfAMatrix, GiveARowTheSameBitsAmongAnyNumberOfOthers) {
  const auto all = answer({5, {3}});
  const at::Tensor hidden = output_.hidden;
  for (int64_t row = 0; row < 67; row += 13) {
    output_.hidden = hidden.narrow(0, row, 1);  // [1, model]
    const auto alone = answer({5, {3}}).front(), &among = all[static_cast<size_t>(row)];
    EXPECT_EQ(alone.normalizer, among.normalizer);
    EXPECT_EQ(alone.scores, among.scores);
    for (size_t i = 0; i < 5; ++i)
      EXPECT_EQ(alone.best[i].log_probability, among.best[i].log_probability);
  }
}

TEST_F(DeferredScoresOfAMatrix, HaveNoNormalizerWhereAScoreIsNotANumber) {
  output_.hidden[1][2] = std::numeric_limits<float>::quiet_NaN();
  const auto answers = answer({2, {}});
  EXPECT_TRUE(std::isnan(answers[1].normalizer));
  EXPECT_FALSE(std::isnan(answers[0].normalizer));
}

TEST_F(DeferredScoresOfAMatrix, AreTheSameWithoutANormalizer) {
  output_.hidden[1][2] = std::numeric_limits<float>::quiet_NaN();
  const auto with = answer({5, {3}});
  const auto without = answer({5, {3}, /*needs_normalizer=*/false});
  for (size_t row = 0; row < with.size(); ++row) {
    if (row == 1) {
      EXPECT_TRUE(std::isnan(without[row].normalizer));
      continue;
    }
    EXPECT_EQ(without[row].normalizer, 0);
    EXPECT_EQ(without[row].scores, with[row].scores);
    for (size_t i = 0; i < 5; ++i) EXPECT_EQ(without[row].best[i].column, with[row].best[i].column);
  }
}

TEST_F(DeferredScoresOfAMatrix, AreNotThereWhenGradientsAreRecorded) {
  EXPECT_EQ(packed_scores(output_, context_), nullptr);
}

TEST_F(DeferredScoresOfAMatrix, AreNotThereForAMatrixOutsideOfTheParameters) {
  const c10::InferenceMode guard;
  output_.output_weight = normal({50, 12}, 9).to(at::kFloat);
  EXPECT_EQ(packed_scores(output_, context_), nullptr);
}

TEST_F(DeferredScoresOfAMatrix, DoNotChangeOtherLinearMaps) {
  const at::Tensor before =
      linear(output_.hidden, projection_.weight, projection_.bias, context_, Activation::kGelu);
  const c10::InferenceMode guard;
  const at::Tensor after =
      linear(output_.hidden, projection_.weight, projection_.bias, context_, Activation::kGelu);
  EXPECT_TRUE(close(after.to(at::kDouble), before.to(at::kDouble), 1e-5));
}

}  // namespace
}  // namespace phraseq::nn
