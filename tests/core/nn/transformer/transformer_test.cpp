#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/nn/functional/activation_option.h"
#include "core/nn/packed/packed_weights.h"
#include "core/nn/transformer/transformer_model.h"
#include "core/options/enum_name.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::nn {
namespace {

using testing_support::CheckedModel;
using testing_support::count_parameters;
using testing_support::examples_of;
using testing_support::Sequences;

nlohmann::json golden() { return testing_support::golden_values("transformer"); }

TransformerOptions options_of(const nlohmann::json& o, const nlohmann::json& sizes) {
  TransformerOptions options;
  options.set_sizes(sizes["model"], sizes["ffn"], sizes["heads"], sizes["layers"]);
  options.encoder_normalize_before = options.decoder_normalize_before = o["pre"];
  options.embed_norm = enum_value(kEmbeddingNormNames, o["embed_norm"].get<std::string>()).value();
  options.pos = enum_value(kPositionKindNames, o["pos"].get<std::string>()).value();
  options.activation_fn =
      enum_value(kFeedForwardActivationNames, o["activation"].get<std::string>()).value();
  options.attn_bias = o["attn_bias"];
  options.ffn_bias1 = o["ffn1"];
  options.ffn_bias2 = o["ffn2"];
  options.out_bias = o["out_bias"];
  options.start_token = o["start"] == 0 ? StartToken::kBos : StartToken::kEos;
  options.source_bos = o["source_bos"];
  options.forbid_outputs = o["forbid"];
  options.share_all_embeddings = o["tie"] == "all";
  options.share_decoder_input_output_embed = o["tie"] == "decoder";
  options.no_scale_embedding = !o["scale"].get<bool>();
  options.norm_eps = o["eps"];
  options.max_source_positions = options.max_target_positions = 20;
  return options;
}

ArchitectureSetup setup_of(const nlohmann::json& o, const nlohmann::json& sizes) {
  ArchitectureSetup setup;
  setup.joined_dictionary = o["tie"] == "all";
  setup.source_vocabulary = sizes["source_vocabulary"];
  setup.target_vocabulary =
      setup.joined_dictionary ? setup.source_vocabulary : sizes["target_vocabulary"].get<int64_t>();
  return setup;
}

class GoldenTransformer : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const nlohmann::json all = golden();
    variant_ = all["variants"][GetParam()];
    examples_ = examples_of(all["sources"].get<Sequences>(), variant_["targets"].get<Sequences>());
    checked_ = std::make_unique<CheckedModel>(
        std::make_shared<TransformerModel>(options_of(variant_["options"], all["sizes"]),
                                           setup_of(variant_["options"], all["sizes"])));
  }

  nlohmann::json variant_;
  std::vector<Example> examples_;
  std::unique_ptr<CheckedModel> checked_;
};

TEST_P(GoldenTransformer, EqualsTheIndependentComputation) {
  checked_->expect_log_probabilities(examples_, variant_["log_probabilities"]);
}

TEST_P(GoldenTransformer, RecordsItsAttention) {
  const size_t layers = golden()["sizes"]["layers"];
  checked_->expect_recorded_attention(examples_, 3 * layers);
}

TEST_P(GoldenTransformer, ScoresASentenceTheSameAloneAndInABatch) {
  checked_->expect_alone_as_in_a_batch(examples_);
}

TEST_P(GoldenTransformer, DecodesStepByStepAsInASinglePass) {
  checked_->expect_steps_as_in_one_pass(examples_);
}

TEST_P(GoldenTransformer, KeepsEachRowsPastWhenRowsAreReorderedAndDropped) {
  checked_->expect_rows_keep_their_past(examples_);
}

TEST_P(GoldenTransformer, HasTheGradientOfFiniteDifferences) {
  checked_->expect_gradient_of_finite_differences(examples_);
}

INSTANTIATE_TEST_SUITE_P(Variants,
                         GoldenTransformer,
                         testing::Values("fairseq",
                                         "neutron",
                                         "neutron_forbid",
                                         "tensor2tensor",
                                         "gelu_learned",
                                         "swish_nopos"),
                         [](const auto& variant) { return std::string(variant.param); });

/// ln p of all target tokens, computed from packed weights as in translation.
std::vector<double> packed_log_probabilities(const nlohmann::json& variant,
                                             const nlohmann::json& all,
                                             Quantization kind) {
  TransformerModel model(options_of(variant["options"], all["sizes"]),
                         setup_of(variant["options"], all["sizes"]));
  testing_support::set_golden_values(model);
  FlatParameters flat(model, /*with_gradients=*/false);
  pack_weights(flat.values(), kind);
  const c10::InferenceMode guard;
  Context context(/*training=*/false, Precision::kFp32, /*seed=*/0, &flat);
  const Batch batch = collate_pairs(
      examples_of(all["sources"].get<Sequences>(), variant["targets"].get<Sequences>()),
      model.conventions());
  const at::Tensor found =
      token_log_probabilities(model.forward(batch, context), batch, context).to(at::kDouble);
  return {found.const_data_ptr<double>(), found.const_data_ptr<double>() + found.numel()};
}

std::vector<double> joined(const nlohmann::json& of_sentences) {
  std::vector<double> values;
  for (const auto& sentence : of_sentences) {
    for (const double value : sentence) values.push_back(value);
  }
  return values;
}

TEST_P(GoldenTransformer, EqualsTheIndependentComputationWithPackedWeights) {
  EXPECT_THAT(packed_log_probabilities(variant_, golden(), Quantization::kNone),
              testing::Pointwise(testing::DoubleNear(2e-5), joined(variant_["log_probabilities"])));
}

// Sums of integers are exact; what remains is the rounding to fp32 between the products.
TEST_P(GoldenTransformer, EqualsTheIndependentComputationInEightBits) {
  const nlohmann::json eight_bits = testing_support::golden_values("int8");
  EXPECT_THAT(packed_log_probabilities(variant_, golden(), Quantization::kInt8),
              testing::Pointwise(testing::DoubleNear(1e-4), joined(eight_bits[GetParam()])));
}

int64_t parameters_of(const TransformerOptions& options, int64_t vocabulary, bool joined) {
  ArchitectureSetup setup;
  setup.source_vocabulary = setup.target_vocabulary = vocabulary;
  setup.joined_dictionary = joined;
  return count_parameters(TransformerModel(options, setup));
}

TEST(TransformerModel, HasTheParametersOfXuEtAlsBaseline) {
  TransformerOptions options;
  use_neutron_conventions(options);
  options.set_sizes(512, 2048, 8, 6);
  // 88,054,661 without the two norms of the embeddings (2 · 2 · 512, which the paper counts in
  // the body).
  EXPECT_EQ(parameters_of(options, 42885, false), 88054661);
}

TEST(TransformerModel, HasTheParametersOfNguyenAndJotysBaseline) {
  TransformerOptions options;
  use_tensor2tensor_conventions(options);
  options.set_sizes(512, 2048, 8, 6);
  const int64_t count = parameters_of(options, 37000, true);
  EXPECT_NEAR(static_cast<double>(count) / 1e6, 63.05, 0.005);
  EXPECT_NEAR(static_cast<double>(count - 37000 * 512) / 1e6, 44.10, 0.005);
}

TEST(TransformerModel, HasTheParametersOfNguyenAndNguyensBaseline) {
  TransformerOptions options;
  use_fairseq_conventions(options);
  options.share_all_embeddings = true;
  options.set_sizes(512, 1024, 4, 6);
  EXPECT_NEAR(
      static_cast<double>(parameters_of(options, 20000, true) - 20000 * 512) / 1e6, 31.54, 0.005);
}

TEST(TransformerOptions, NameTheOptionThatPositionsDoNotFit) {
  TransformerOptions options;
  options.encoder_embed_dim = 9;
  options.encoder_attention_heads = 3;
  options.decoder_embed_dim = 2;
  options.decoder_attention_heads = 1;
  EXPECT_THAT(options.problems(),
              testing::ElementsAre(
                  testing::AllOf(testing::HasSubstr("--encoder-embed-dim 9: --pos fairseq needs"),
                                 testing::HasSubstr("--pos learned accepts any")),
                  testing::HasSubstr("--decoder-embed-dim 2: --pos fairseq needs")));
  for (const PositionKind pos : {PositionKind::kLearned, PositionKind::kNone}) {
    options.pos = pos;
    EXPECT_THAT(options.problems(), testing::IsEmpty()) << enum_name(kPositionKindNames, pos);
  }
}

TEST(TransformerOptions, BoundSizes) {
  for (const char* name : {"encoder-embed-dim",
                           "decoder-embed-dim",
                           "encoder-ffn-embed-dim",
                           "decoder-ffn-embed-dim",
                           "encoder-layers",
                           "decoder-layers",
                           "encoder-attention-heads",
                           "decoder-attention-heads"}) {
    TransformerOptions options;
    OptionTable table;
    options.describe(table);
    EXPECT_THROW(table.find(name)->from_text("2000000000", OptionOrigin::kCommandLine), UsageError)
        << name;
  }
}

TEST(TransformerModel, NamesParametersAsFairseqDoes) {
  TransformerOptions options;
  options.set_sizes(8, 6, 2, 1);
  ArchitectureSetup setup;
  setup.source_vocabulary = 5;
  setup.target_vocabulary = 7;
  TransformerModel model(options, setup);
  std::vector<std::string> names;
  for (const auto& entry : model.named_parameters()) names.push_back(entry.key());
  EXPECT_THAT(names,
              testing::IsSupersetOf({"encoder.embed_tokens.weight",
                                     "encoder.layers.0.self_attn.q_proj.weight",
                                     "encoder.layers.0.self_attn.out_proj.bias",
                                     "encoder.layers.0.self_attn_layer_norm.weight",
                                     "encoder.layers.0.fc1.weight",
                                     "encoder.layers.0.final_layer_norm.bias",
                                     "decoder.embed_tokens.weight",
                                     "decoder.layers.0.encoder_attn.k_proj.weight",
                                     "decoder.layers.0.encoder_attn_layer_norm.weight",
                                     "decoder.layers.0.fc2.bias",
                                     "decoder.output_projection.weight"}));
  EXPECT_THAT(names, testing::Each(testing::Not(testing::HasSubstr("layer_norm_"))));
}

TEST(TransformerModel, DoesNotShareEmbeddingsOfTwoDictionaries) {
  TransformerOptions options;
  options.share_all_embeddings = true;
  ArchitectureSetup setup;
  setup.source_vocabulary = setup.target_vocabulary = 7;
  try {
    TransformerModel model(options, setup);
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.hint(),
                testing::AllOf(testing::HasSubstr("--joined-dictionary"),
                               testing::HasSubstr("--share-all-embeddings no")));
  }
}

TEST(TransformerModel, DrawsTheSameParametersFromTheSameSeed) {
  TransformerOptions options;
  options.set_sizes(8, 6, 2, 1);
  ArchitectureSetup setup;
  setup.source_vocabulary = setup.target_vocabulary = 7;
  TransformerModel a(options, setup), b(options, setup), c(options, setup);
  a.initialize(3);
  b.initialize(3);
  c.initialize(4);
  const auto pa = a.parameters(), pb = b.parameters(), pc = c.parameters();
  for (size_t i = 0; i < pa.size(); ++i) EXPECT_TRUE(at::equal(pa[i], pb[i]));
  EXPECT_FALSE(at::equal(pa[0], pc[0]));
}

}  // namespace
}  // namespace phraseq::nn
