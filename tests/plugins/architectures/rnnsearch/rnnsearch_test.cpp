// Compares RNNsearch and its coverages with the independent computation, and runs the checks of
// every architecture.

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <torch/nn/modules/rnn.h>

#include "core/nn/recording.h"
#include "core/nn/recurrent/recurrent_rows.h"
#include "core/options/option_text.h"
#include "plugins/architectures/rnnsearch/model.h"
#include "plugins/architectures/rnnsearch/presets.h"
#include "tests/support/architecture_checks.h"
#include "tests/support/recurrent_golden.h"

namespace phraseq::rnnsearch {
namespace {

using testing_support::CheckedModel;
using testing_support::count_parameters;
using testing_support::examples_of;
using testing_support::Sequences;

nlohmann::json golden() { return testing_support::golden_values("rnnsearch"); }

nn::RecurrentOptions options_of(const nlohmann::json& o, const nlohmann::json& sizes) {
  nn::RecurrentOptions options;
  testing_support::set_recurrent_options(options, o, sizes);
  return options;
}

class GoldenRnnSearch : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const nlohmann::json all = golden();
    variant_ = all["variants"][GetParam()];
    examples_ = examples_of(all["sources"].get<Sequences>(), all["targets"].get<Sequences>());
    const auto& sizes = all["sizes"];
    const ArchitectureSetup setup{
        sizes["source_vocabulary"], sizes["target_vocabulary"], false, {}};
    checked_ = std::make_unique<CheckedModel>(
        std::make_shared<RnnSearchModel>(options_of(variant_["options"], sizes), setup));
    checked_->flat().values().mul_(variant_["options"]["scale"].get<double>());
  }

  /// The attention weights of one sentence whose target is the input, step by step.
  std::vector<std::vector<double>> attention(const Example& example) const {
    at::NoGradGuard no_grad;
    nn::Context pass = checked_->context();
    const Batch batch = checked_->batch({example});
    const auto session = checked_->model().start_decoding(batch, {20, 1, true}, pass);
    std::vector<std::vector<double>> rows;
    for (int64_t t = 0; t < batch.target_in.tokens(); ++t) {
      const at::Tensor weights =
          session->step(batch.target_in.ids.narrow(0, t, 1)).attention.to(at::kCPU, at::kDouble);
      rows.emplace_back(weights.data_ptr<double>(), weights.data_ptr<double>() + weights.numel());
    }
    return rows;
  }

  nlohmann::json variant_;
  std::vector<Example> examples_;
  std::unique_ptr<CheckedModel> checked_;
};

TEST_P(GoldenRnnSearch, EqualsTheIndependentComputation) {
  checked_->expect_log_probabilities(examples_, variant_["log_probabilities"]);
}

TEST_P(GoldenRnnSearch, AttendsAsTheIndependentComputation) {
  const auto expected = variant_["attention"].get<std::vector<std::vector<double>>>();
  const auto weights = attention(examples_[0]);
  ASSERT_EQ(weights.size(), expected.size());
  for (size_t t = 0; t < weights.size(); ++t)
    EXPECT_THAT(weights[t], testing::Pointwise(testing::DoubleNear(1e-10), expected[t])) << t;
}

TEST_P(GoldenRnnSearch, RecordsTheAttentionOfOnePass) {
  const auto expected = variant_["attention"].get<std::vector<std::vector<double>>>();
  nn::Recording recording;
  nn::Context pass = checked_->context();
  pass.record_into(&recording);
  checked_->model().forward(checked_->batch({examples_[0]}), pass);
  const at::Tensor weights =
      recording.named(checked_->model()).at("decoder.attention.weights").cpu();
  const auto queries = static_cast<int64_t>(expected.size());
  const auto keys = static_cast<int64_t>(expected[0].size());
  ASSERT_EQ(weights.sizes().vec(), (std::vector<int64_t>{1, 1, queries, 1, keys}));
  for (int64_t t = 0; t < queries; ++t) {
    const double* row = weights.data_ptr<double>() + t * keys;
    EXPECT_THAT(std::vector<double>(row, row + keys),
                testing::Pointwise(testing::DoubleNear(1e-10), expected[static_cast<size_t>(t)]));
  }
}

TEST_P(GoldenRnnSearch, ScoresASentenceTheSameAloneAndInABatch) {
  checked_->expect_alone_as_in_a_batch(examples_);
}

TEST_P(GoldenRnnSearch, DecodesStepByStepAsInASinglePass) {
  checked_->expect_steps_as_in_one_pass(examples_);
}

TEST_P(GoldenRnnSearch, KeepsEachRowsPastWhenRowsAreReorderedAndDropped) {
  checked_->expect_rows_keep_their_past(examples_);
}

TEST_P(GoldenRnnSearch, HasTheGradientOfFiniteDifferences) {
  checked_->expect_gradient_of_finite_differences(examples_);
}

INSTANTIATE_TEST_SUITE_P(Variants,
                         GoldenRnnSearch,
                         testing::Values("none",
                                         "none_scaled",
                                         "neural",
                                         "neural_ungated",
                                         "linguistic",
                                         "linguistic_fertility",
                                         "cgru_neural",
                                         "cgru",
                                         "readout_old",
                                         "cgru_readout_old"),
                         [](const auto& variant) { return std::string(variant.param); });

TEST(RnnSearch, HasAsManyParametersAsPublished) {
  nn::RecurrentOptions options;
  const auto count = [&](int64_t vocabulary) {
    return count_parameters(RnnSearchModel(options, {vocabulary, vocabulary, false, {}}));
  };
  EXPECT_EQ(count(16000), 61'965'351);
  options.coverage = nn::CoverageModel::kNone;
  EXPECT_EQ(count(16000), 61'855'021);
  EXPECT_EQ(count(30000), 87'909'021);
}

TEST(RnnSearch, DrawsRecurrentMatricesOrthogonal) {
  nn::RecurrentOptions options;
  options.embed_dim = 6;
  options.hidden = 5;
  RnnSearchModel model(options, {13, 17, false, {}});
  model.initialize(3);
  for (const auto& entry : model.named_parameters()) {
    if (!entry.key().ends_with("weight_hh"))
      continue;
    for (const at::Tensor& block : entry.value().split(5))
      EXPECT_TRUE(at::allclose(block.mm(block.t()), at::eye(5), 1e-5, 1e-6)) << entry.key();
  }
}

TEST(GruCell, IsTorchsWithoutTheSecondBias) {
  nn::GruCell cell(3, 4);
  nn::Initializer initializer(nn::InitializationStyle::kFairseq, 1);
  for (auto* parameter : {&cell.weight_ih, &cell.bias_ih, &cell.weight_hh})
    initializer.normal(*parameter, 1.0);
  torch::nn::GRU torchs(3, 4);
  at::NoGradGuard no_grad;
  auto named = torchs->named_parameters();
  named["weight_ih_l0"].copy_(cell.weight_ih);
  named["bias_ih_l0"].copy_(cell.bias_ih);
  named["weight_hh_l0"].copy_(cell.weight_hh);
  named["bias_hh_l0"].zero_();
  at::Tensor x = at::empty({7, 3});
  initializer.normal(x, 1.0);
  nn::Context context(false, nn::Precision::kFp32);
  const std::vector<int64_t> offsets = {0, 5, 7};
  const at::Tensor ours = cell.over(x, nn::TimeMajor(offsets, at::kCPU), context);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t rows = offsets[i + 1] - offsets[i];
    const at::Tensor alone = x.narrow(0, offsets[i], rows).unsqueeze(1);
    const at::Tensor theirs = std::get<0>(torchs->forward(alone)).squeeze(1);
    EXPECT_LT((ours.narrow(0, offsets[i], rows) - theirs).abs().max().item<float>(), 1e-6);
  }
}

TEST(RnnSearchPresets, DifferFromTangsRnnSearchAccordingToTheirNames) {
  const auto values_of = [](const Preset* preset) {
    nn::RecurrentOptions options;
    if (preset != nullptr)
      preset->apply(options);
    OptionTable table;
    options.describe(table);
    return to_json(table);
  };
  const std::map<std::string, nlohmann::json> differences = {
      {"rnnsearch_base", nlohmann::json::object()},
      {"rnnsearch_plain", {{"coverage", "none"}}},
      {"rnnsearch_cgru", {{"coverage", "none"}, {"decoder_cell", "cgru"}}},
      {"rnnsearch_linguistic", {{"coverage", "linguistic"}, {"fertility", 2.0}}},
      {"rnnsearch_tiny", {{"embed_dim", 128}, {"hidden", 192}, {"init_deviation", 0.1}}}};
  const auto presets = rnnsearch_presets();
  EXPECT_EQ(presets.size(), differences.size());
  for (const Preset& preset : presets) {
    nlohmann::json expected = values_of(nullptr);
    expected.update(differences.at(preset.name));
    EXPECT_EQ(values_of(&preset), expected) << preset.name;
  }
}

}  // namespace
}  // namespace phraseq::rnnsearch
