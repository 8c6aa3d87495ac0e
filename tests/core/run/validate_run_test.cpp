#include "core/run/validate_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/train/validation/validation_result.h"

namespace phraseq {
namespace {

ValidationResult example_result() {
  ValidationResult result;
  result.subset = "valid";
  result.losses.loss = 2.0;
  result.losses.nll_loss = 1.5;
  result.losses.tokens = 7;
  result.losses.sentences = 3;
  return result;
}

TEST(ValidationText, IsOneLineInBaseTwo) {
  EXPECT_EQ(
      validation_text(example_result(), ValidationFormat::kPlain),
      "valid on 'valid' subset | loss 2.885 | nll_loss 2.164 (base 2) | ppl 4.48 | 7 tokens | "
      "3 sentences");
}

TEST(ValidationText, ShowsTheAccuracyThatACriterionCounts) {
  ValidationResult result = example_result();
  result.losses.extras["correct_per_token"] = 0.25;
  EXPECT_NE(validation_text(result, ValidationFormat::kPlain).find(" | accuracy 0.2500 | 7 tokens"),
            std::string::npos);
}

TEST(ValidationText, IsTheWholeResultAsJson) {
  const std::string text = validation_text(example_result(), ValidationFormat::kJson);
  EXPECT_EQ(nlohmann::json::parse(text),
            nlohmann::json({{"subset", "valid"},
                            {"loss", 2.0},
                            {"nll_loss", 1.5},
                            {"ppl", example_result().losses.ppl()},
                            {"tokens", 7},
                            {"sentences", 3}}));
}

}  // namespace
}  // namespace phraseq
