#include "core/run/validate_run.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

const nlohmann::json kResult = {{"subset", "valid"},
                                {"loss", 2.0},
                                {"nll_loss", 1.5},
                                {"ppl", 4.4816890703},
                                {"tokens", 7},
                                {"sentences", 3}};

TEST(ValidationText, IsOneLineInBaseTwo) {
  EXPECT_EQ(
      validation_text(kResult, ValidationFormat::kPlain),
      "valid on 'valid' subset | loss 2.885 | nll_loss 2.164 (base 2) | ppl 4.48 | 7 tokens | "
      "3 sentences");
}

TEST(ValidationText, ShowsTheAccuracyThatACriterionCounts) {
  nlohmann::json result = kResult;
  result["correct_per_token"] = 0.25;
  EXPECT_NE(validation_text(result, ValidationFormat::kPlain).find(" | accuracy 0.2500 | 7 tokens"),
            std::string::npos);
}

TEST(ValidationText, IsTheWholeResultAsJson) {
  EXPECT_EQ(nlohmann::json::parse(validation_text(kResult, ValidationFormat::kJson)), kResult);
}

}  // namespace
}  // namespace phraseq
