#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/options/enum_name.h"
#include "plugins/architectures/phrasal_attention/model.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::phrasal {
namespace {

using testing_support::CheckedModel;
using testing_support::examples_of;
using testing_support::Sequences;

const nlohmann::json& golden() {
  static const nlohmann::json values = testing_support::golden_values("phrasal_attention");
  return values;
}

std::vector<std::string> variants() {
  std::vector<std::string> names;
  for (const auto& entry : golden()["variants"].items()) names.push_back(entry.key());
  return names;
}

PhrasalAttentionOptions options_of(const nlohmann::json& o, const nlohmann::json& sizes) {
  PhrasalAttentionOptions options;
  options.set_sizes(sizes["model"], sizes["ffn"], sizes["heads"], sizes["layers"]);
  options.pa_type = enum_value(kPhraseTypeNames, o["type"].get<std::string>()).value();
  options.pa_method = enum_value(kPhraseMethodNames, o["method"].get<std::string>()).value();
  options.pa_ngrams = o["ngrams"];
  options.pa_where = o["where"].get<std::vector<std::string>>();
  options.pa_out = enum_value(kConvolutionPlaceNames, o["out"].get<std::string>()).value();
  options.pa_scale = enum_value(kPhraseScaleNames, o["pa_scale"].get<std::string>()).value();
  options.pa_conv_bias = o["conv_bias"];
  options.max_source_positions = options.max_target_positions = 20;
  return options;
}

class GoldenPhrasalAttention : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const nlohmann::json& all = golden();
    variant_ = all["variants"][GetParam()];
    examples_ = examples_of(all["sources"].get<Sequences>(), all["targets"].get<Sequences>());
    ArchitectureSetup setup;
    setup.joined_dictionary = true;
    setup.source_vocabulary = setup.target_vocabulary = all["sizes"]["source_vocabulary"];
    const PhrasalAttentionOptions options = options_of(variant_["options"], all["sizes"]);
    ASSERT_THAT(options.problems(), testing::IsEmpty());
    checked_ =
        std::make_unique<CheckedModel>(std::make_shared<PhrasalAttentionModel>(options, setup));
  }

  nlohmann::json variant_;
  std::vector<Example> examples_;
  std::unique_ptr<CheckedModel> checked_;
};

TEST_P(GoldenPhrasalAttention, EqualsTheIndependentComputation) {
  checked_->expect_log_probabilities(examples_, variant_["log_probabilities"]);
}

TEST_P(GoldenPhrasalAttention, ScoresASentenceTheSameAloneAndInABatch) {
  checked_->expect_alone_as_in_a_batch(examples_);
}

TEST_P(GoldenPhrasalAttention, DecodesStepByStepAsInASinglePass) {
  checked_->expect_steps_as_in_one_pass(examples_);
}

TEST_P(GoldenPhrasalAttention, KeepsEachRowsPastWhenRowsAreReorderedAndDropped) {
  checked_->expect_rows_keep_their_past(examples_);
}

TEST_P(GoldenPhrasalAttention, HasTheGradientOfFiniteDifferences) {
  checked_->expect_gradient_of_finite_differences(examples_);
}

INSTANTIATE_TEST_SUITE_P(Variants,
                         GoldenPhrasalAttention,
                         testing::ValuesIn(variants()),
                         [](const auto& variant) { return variant.param; });

}  // namespace
}  // namespace phraseq::phrasal
