#include "core/train/validation/validation_result.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phraseq {
namespace {

ValidationLosses losses(double loss, double nll_loss) {
  ValidationLosses result;
  result.loss = loss;
  result.nll_loss = nll_loss;
  return result;
}

TEST(ValidationLosses, AreInBaseTwoAndLeftOutWhereTheyAreNotFinite) {
  EXPECT_EQ(losses_text(losses(2.0, 1.5)), " | loss 2.885 | nll_loss 2.164 (base 2) | ppl 4.48");
  EXPECT_EQ(losses_text(losses(-std::nan(""), 800.0)), " | nll_loss 1154.156 (base 2)");
}

TEST(ValidationResult, HasALineForEachPart) {
  ValidationResult result;
  EXPECT_EQ(part_lines(result), "");
  result.parts["de-en"].losses = losses(2.0, 800.0);
  result.parts["de-fr"].losses = losses(2.0, 800.0);
  result.parts["de-fr"].score = 23.456;
  EXPECT_EQ(part_lines(result),
            "\n  de-en | loss 2.885 | nll_loss 1154.156 (base 2)"
            "\n  de-fr | loss 2.885 | nll_loss 1154.156 (base 2) | score 23.46");
  result.score.emplace().name = "BLEU";
  EXPECT_NE(part_lines(result).find(" | BLEU 23.46"), std::string::npos);
}

TEST(ValidationResult, IsAJsonObjectInNatsPerToken) {
  ValidationResult result;
  result.subset = "valid";
  result.losses = losses(2.0, std::numbers::ln2);
  result.losses.tokens = 7;
  result.losses.sentences = 3;
  result.losses.extras["correct_per_token"] = 0.25;
  nlohmann::json expected = {{"subset", "valid"},
                             {"loss", 2.0},
                             {"nll_loss", std::numbers::ln2},
                             {"ppl", std::exp(std::numbers::ln2)},
                             {"tokens", 7},
                             {"sentences", 3},
                             {"correct_per_token", 0.25}};
  EXPECT_EQ(result.to_json(), expected);
  result.parts["de-en"].losses = losses(1.0, 0.0);
  result.parts["de-en"].score = 12.5;
  expected["parts"]["de-en"] = {{"loss", 1.0},
                                {"nll_loss", 0.0},
                                {"ppl", 1.0},
                                {"tokens", 0},
                                {"sentences", 0},
                                {"score", 12.5}};
  EXPECT_EQ(result.to_json(), expected);
  result.score.emplace();
  result.score->name = "BLEU";
  result.score->value = 12.5;
  const nlohmann::json scored = result.to_json();
  EXPECT_EQ(scored.at("score"), 12.5);
  EXPECT_EQ(scored.at("score_name"), "BLEU");
  EXPECT_TRUE(scored.contains("score_text") && scored.contains("signature"));
}

}  // namespace
}  // namespace phraseq
