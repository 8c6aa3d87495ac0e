// Compares the Transformer language model with the independent computation, and runs the checks of
// every architecture.

#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/function.h>

#include "core/nn/functional/activation_option.h"
#include "core/options/enum_name.h"
#include "plugins/architectures/transformer_lm/model.h"
#include "plugins/architectures/transformer_lm/presets.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::transformer_lm {
namespace {

using testing_support::CheckedModel;
using testing_support::count_parameters;
using testing_support::Sequences;

nlohmann::json golden() { return testing_support::golden_values("transformer_lm"); }

LanguageModelOptions options_of(const nlohmann::json& o, const nlohmann::json& sizes) {
  LanguageModelOptions options;
  options.set_sizes(sizes["model"], sizes["ffn"], sizes["heads"], sizes["layers"]);
  options.decoder_normalize_before = o["pre"];
  options.no_decoder_final_norm = !o["final_norm"].get<bool>();
  options.embed_norm =
      enum_value(nn::kEmbeddingNormNames, o["embed_norm"].get<std::string>()).value();
  options.pos = enum_value(nn::kPositionKindNames, o["pos"].get<std::string>()).value();
  options.activation_fn =
      enum_value(nn::kFeedForwardActivationNames, o["activation"].get<std::string>()).value();
  options.share_decoder_input_output_embed = o["tie"] == "decoder";
  options.no_scale_embedding = !o["scale"].get<bool>();
  options.max_positions = 20;
  return options;
}

ArchitectureSetup setup_of(int64_t vocabulary) { return {vocabulary, vocabulary, true, {}}; }

/// The blocks, batched as by the task language_modeling.
Batch batch_of(const Sequences& inputs, const Sequences& targets) {
  Batch batch;
  for (size_t i = 0; i < inputs.size(); ++i) batch.sentence_ids.push_back(static_cast<int64_t>(i));
  batch.source = batch.target_in = PackedTokens::pack(inputs);
  batch.target_out = PackedTokens::pack(targets).ids;
  return batch.to(testing_support::test_device());
}

class GoldenLanguageModel : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    all_ = golden();
    variant_ = all_["variants"][GetParam()];
    checked_ = std::make_unique<CheckedModel>(std::make_shared<TransformerLanguageModel>(
        options_of(variant_["options"], all_["sizes"]), setup_of(all_["sizes"]["vocabulary"])));
  }

  /// ln p of every token of a batch.
  std::vector<double> log_probabilities(const Batch& batch) const {
    at::NoGradGuard no_grad;
    nn::Context pass = checked_->context();
    const at::Tensor scores =
        token_log_probabilities(checked_->model().forward(batch, pass), batch, pass).cpu();
    return {scores.data_ptr<double>(), scores.data_ptr<double>() + scores.numel()};
  }

  /// Sentences that begin with the start token; their sources are ignored.
  static std::vector<Example> sentences() {
    return testing_support::examples_of({{4, 2}, {5, 6, 2}, {2}},
                                        {{4, 12, 7, 2}, {9, 5, 6, 11, 8, 2}, {2}});
  }

  nlohmann::json all_, variant_;
  std::unique_ptr<CheckedModel> checked_;
};

TEST_P(GoldenLanguageModel, EqualsTheIndependentComputation) {
  std::vector<double> expected;
  for (const auto& block : variant_["log_probabilities"]) {
    for (const double value : block) expected.push_back(value);
  }
  EXPECT_THAT(log_probabilities(
                  batch_of(all_["inputs"].get<Sequences>(), all_["targets"].get<Sequences>())),
              ::testing::Pointwise(::testing::DoubleNear(1e-10), expected));
}

TEST_P(GoldenLanguageModel, ReadsNothingOfTheSource) {
  std::vector<Example> other = sentences();
  other[0].source = {7, 7, 7, 2};
  EXPECT_EQ(checked_->log_probabilities(sentences()), checked_->log_probabilities(other));
}

TEST_P(GoldenLanguageModel, ScoresASentenceTheSameAloneAndInABatch) {
  checked_->expect_alone_as_in_a_batch(sentences());
}

TEST_P(GoldenLanguageModel, DecodesStepByStepAsInASinglePass) {
  checked_->expect_steps_as_in_one_pass(sentences());
}

TEST_P(GoldenLanguageModel, KeepsEachRowsPastWhenRowsAreReorderedAndDropped) {
  checked_->expect_rows_keep_their_past(sentences());
}

TEST_P(GoldenLanguageModel, RecordsItsAttention) {
  checked_->expect_recorded_attention(sentences(), all_["sizes"]["layers"]);
}

TEST_P(GoldenLanguageModel, HasTheGradientOfFiniteDifferences) {
  checked_->expect_gradient_of_finite_differences(sentences());
}

/// The number of operations in a backward pass from `result`.
size_t operations_before(const at::Tensor& result) {
  std::set<torch::autograd::Node*> seen;
  std::vector<torch::autograd::Node*> open = {result.grad_fn().get()};
  while (!open.empty()) {
    torch::autograd::Node* const node = open.back();
    open.pop_back();
    if (node == nullptr || !seen.insert(node).second)
      continue;
    for (const auto& edge : node->next_edges()) open.push_back(edge.function.get());
  }
  return seen.size();
}

TEST_P(GoldenLanguageModel, ComputesItsLayersAgainWithTheSameGradients) {
  const Batch batch = checked_->batch(sentences());
  const auto pass = [&](bool recompute) {
    nn::Context context = checked_->context(/*training=*/true);
    context.recompute_layers(recompute);
    checked_->flat().gradients().zero_();
    const at::Tensor logits = checked_->model().forward(batch, context).logits(context);
    const size_t operations = operations_before(logits);
    logits.square().sum().backward();
    return std::pair(operations, checked_->flat().gradients().clone());
  };
  const auto [kept_operations, kept] = pass(false);
  const auto [operations, again] = pass(true);
  EXPECT_LT(operations, kept_operations);
  EXPECT_TRUE(again.equal(kept));
  EXPECT_GT(kept.abs().max().item<double>(), 0);
}

INSTANTIATE_TEST_SUITE_P(Variants,
                         GoldenLanguageModel,
                         ::testing::Values("post_norm",
                                           "pre_norm_tied",
                                           "no_final_norm_learned",
                                           "embedding_norm_unscaled"),
                         [](const auto& variant) { return std::string(variant.param); });

// d = 64, ffn 64, 2 layers: in each layer, 4 (d² + d) for attention, 2 d² + 2 · 64 for the
// feed-forward sub-layer, and two norms; then the final norm, and V d each for the embedding and
// the output.
TEST(LanguageModelPresets, HaveTheirNumberOfParameters) {
  LanguageModelOptions options;
  for (const Preset& preset : language_model_presets()) {
    if (preset.name == "transformer_lm_gpt2_tiny")
      preset.apply(options);
  }
  const int64_t d = 64, layer = 4 * (d * d + d) + 2 * d * d + d + d + 4 * d;
  EXPECT_EQ(count_parameters(TransformerLanguageModel(options, setup_of(100))),
            2 * layer + 2 * d + 2 * 100 * d);
}

TEST(LanguageModelLimits, AreTheBlocksOfTheTaskUnlessTheOptionIsSet) {
  LanguageModelOptions options;
  options.set_sizes(8, 8, 2, 1);
  ArchitectureSetup setup = setup_of(9);
  EXPECT_EQ(TransformerLanguageModel(options, setup).max_target_positions(), 1024);
  setup.extras = {{"max_block_tokens", 33}, {"start_with_bos", 1}};
  const TransformerLanguageModel model(options, setup);
  EXPECT_EQ(model.max_target_positions(), 33);
  EXPECT_TRUE(model.conventions().start_with_bos);
  EXPECT_FALSE(model.conventions().reads_source);
  options.max_positions = 12;  // without the <s>
  EXPECT_EQ(TransformerLanguageModel(options, setup).max_target_positions(), 13);
  options.pos = nn::PositionKind::kLearned;
  EXPECT_EQ(TransformerLanguageModel(options, setup).max_target_positions(), 12);
}

}  // namespace
}  // namespace phraseq::transformer_lm
