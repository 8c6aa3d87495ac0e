#include <cmath>
#include <fstream>
#include <numeric>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/nn/flat_parameters.h"
#include "core/nn/functional.h"
#include "core/nn/transformer_model.h"
#include "core/nn/transformer_session.h"

namespace phraseq::nn {
namespace {

using Sequences = std::vector<std::vector<int64_t>>;

/// A batch as the translation task makes it.
Batch make_batch(Sequences sources, const Sequences& targets, const TransformerModel& model) {
  const int64_t start = model.starts_with_bos() ? 0 : 2;
  Sequences inputs;
  std::vector<int64_t> outputs;
  for (const auto& target : targets) {
    inputs.push_back({start});
    inputs.back().insert(inputs.back().end(), target.begin(), target.end() - 1);
    outputs.insert(outputs.end(), target.begin(), target.end());
  }
  if (model.source_has_bos()) {
    for (auto& source : sources) source.insert(source.begin(), 0);
  }
  Batch batch;
  batch.source = PackedTokens::pack(sources);
  batch.target_in = PackedTokens::pack(inputs);
  batch.target_out = at::tensor(outputs, at::kLong);
  batch.sentence_ids.resize(sources.size());
  std::iota(batch.sentence_ids.begin(), batch.sentence_ids.end(), 0);
  return batch;
}

/// The formula of tests/golden/transformer/generate.py.
void set_golden_values(torch::nn::Module& model) {
  at::NoGradGuard no_grad;
  for (const auto& entry : model.named_parameters()) {
    const std::string& name = entry.key();
    double bytes = 0;
    for (const unsigned char byte : name) bytes += byte;
    at::Tensor element = at::arange(1, entry.value().numel() + 1, at::kDouble);
    at::Tensor values = 0.25 * at::sin(0.61 * element + 0.017 * bytes);
    const bool gain =
        name.ends_with("layer_norm.weight") || name.ends_with("layernorm_embedding.weight");
    if (gain)
      values = 1 + 0.4 * values;
    entry.value().copy_(values.view(entry.value().sizes()));
  }
}

nlohmann::json golden() {
  std::ifstream file(PHRASEQ_SOURCE_FOLDER "/tests/golden/transformer/golden.json");
  return nlohmann::json::parse(file);
}

TransformerOptions options_of(const nlohmann::json& o, const nlohmann::json& sizes) {
  TransformerOptions options;
  options.set_sizes(sizes["model"], sizes["ffn"], sizes["heads"], sizes["layers"]);
  options.encoder_normalize_before = options.decoder_normalize_before = o["pre"];
  options.embed_norm = o["embed_norm"];
  options.pos = o["pos"];
  options.activation_fn = o["activation"];
  options.attn_bias = o["attn_bias"];
  options.ffn_bias1 = o["ffn1"];
  options.ffn_bias2 = o["ffn2"];
  options.out_bias = o["out_bias"];
  options.start_token = o["start"] == 0 ? "bos" : "eos";
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

class GoldenTransformer : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const nlohmann::json all = golden();
    variant_ = all["variants"][GetParam()];
    sources_ = all["sources"].get<Sequences>();
    targets_ = variant_["targets"].get<Sequences>();
    model_ = std::make_shared<TransformerModel>(options_of(variant_["options"], all["sizes"]),
                                                setup_of(variant_["options"], all["sizes"]));
    model_->to(at::kDouble);
    set_golden_values(*model_);
    flat_ = std::make_unique<FlatParameters>(*model_, /*with_gradients=*/true);
  }

  std::vector<double> score(const Sequences& sources, const Sequences& targets) {
    at::NoGradGuard no_grad;
    Context context(/*training=*/false, Precision::kFp64, 0, flat_.get());
    const Batch batch = make_batch(sources, targets, *model_);
    const DecoderOutput output = model_->forward(batch, context);
    const at::Tensor scores = target_log_probabilities(output.hidden,
                                                       output.output_weight,
                                                       output.output_bias,
                                                       batch.target_out,
                                                       output.forbidden,
                                                       context);
    return {scores.data_ptr<double>(), scores.data_ptr<double>() + scores.numel()};
  }

  std::vector<double> expected() const {
    std::vector<double> flat;
    for (const auto& sentence : variant_["log_probabilities"]) {
      for (const double value : sentence) flat.push_back(value);
    }
    return flat;
  }

  nlohmann::json variant_;
  Sequences sources_, targets_;
  std::shared_ptr<TransformerModel> model_;
  std::unique_ptr<FlatParameters> flat_;
};

TEST_P(GoldenTransformer, EqualsTheIndependentComputation) {
  EXPECT_THAT(score(sources_, targets_),
              testing::Pointwise(testing::DoubleNear(1e-10), expected()));
}

TEST_P(GoldenTransformer, ScoresASentenceAloneAsInABatch) {
  const std::vector<double> together = expected();
  size_t next = 0;
  for (size_t i = 0; i < sources_.size(); ++i) {
    for (const double alone : score({sources_[i]}, {targets_[i]}))
      EXPECT_NEAR(alone, together[next++], 1e-10);
  }
}

TEST_P(GoldenTransformer, DecodesStepByStepAsInOnePass) {
  at::NoGradGuard no_grad;
  Context context(/*training=*/false, Precision::kFp64, 0, flat_.get());
  const Sequences targets(sources_.size(),
                          targets_[1]);  // equally long, so that every row takes every step
  const Batch batch = make_batch(sources_, targets, *model_);
  DecoderOutput full = model_->forward(batch, context);
  const at::Tensor full_logits = full.logits(context);
  const auto session = model_->start_decoding(batch, {10, 1, false}, context);
  const auto length = static_cast<int64_t>(targets[0].size());
  for (int64_t t = 0; t < length; ++t) {
    std::vector<int64_t> last;
    for (size_t i = 0; i < sources_.size(); ++i) {
      last.push_back(batch.target_in.ids[static_cast<int64_t>(i) * length + t].item<int64_t>());
    }
    const at::Tensor scores = session->step(at::tensor(last, at::kLong)).scores;
    for (int64_t i = 0; i < scores.size(0); ++i) {
      EXPECT_LT((scores[i] - full_logits[i * length + t]).abs().max().item<double>(), 1e-10)
          << "step " << t;
    }
  }
}

TEST_P(GoldenTransformer, KeepsEachRowsPastWhenRowsAreReorderedAndDropped) {
  at::NoGradGuard no_grad;
  Context context(/*training=*/false, Precision::kFp64, 0, flat_.get());
  const Batch batch = make_batch(sources_, targets_, *model_);
  const int64_t start = model_->starts_with_bos() ? 0 : 2;
  // Rows by (sentence, prefix) after a reordering that repeats, swaps and drops.
  auto session = model_->start_decoding(batch, {10, 2, false}, context);
  session->step(at::tensor(std::vector<int64_t>(3, start), at::kLong));
  session->select({2, 0, 0, 1});
  session->step(at::tensor(std::vector<int64_t>{4, 5, 6, 7}, at::kLong));
  session->select({2, 0});
  const at::Tensor scores = session->step(at::tensor(std::vector<int64_t>{8, 9}, at::kLong)).scores;

  const Sequences prefixes = {{6, 8, 2}, {4, 9, 2}};
  const Batch plain = make_batch({sources_[0], sources_[2]}, prefixes, *model_);
  const at::Tensor full = model_->forward(plain, context).logits(context);
  EXPECT_LT((scores[0] - full[2]).abs().max().item<double>(), 1e-10);
  EXPECT_LT((scores[1] - full[5]).abs().max().item<double>(), 1e-10);
}

TEST_P(GoldenTransformer, HasTheGradientOfFiniteDifferences) {
  const Batch batch = make_batch(sources_, targets_, *model_);
  const auto loss_of = [&] {
    Context context(/*training=*/true, Precision::kFp64, /*seed=*/7, flat_.get());
    const DecoderOutput output = model_->forward(batch, context);
    return projected_cross_entropy(output.hidden,
                                   output.output_weight,
                                   output.output_bias,
                                   batch.target_out,
                                   0.1,
                                   Smoothing::kFairseq,
                                   output.forbidden,
                                   {},
                                   context)
        .loss;
  };
  flat_->zero_gradients();
  loss_of().backward();
  at::NoGradGuard no_grad;
  const at::Tensor direction = at::sin(at::arange(flat_->values().numel(), at::kDouble) * 1.7);
  const double analytic = (flat_->gradients() * direction).sum().item<double>();
  const double step = 1e-6;
  flat_->values().add_(direction, step);
  const double above = loss_of().item<double>();
  flat_->values().add_(direction, -2 * step);
  const double below = loss_of().item<double>();
  EXPECT_NEAR(analytic, (above - below) / (2 * step), 1e-5 * std::abs(analytic) + 1e-6);
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

int64_t count_parameters(const TransformerOptions& options,
                         int64_t source,
                         int64_t target,
                         bool joined) {
  ArchitectureSetup setup;
  setup.source_vocabulary = source;
  setup.target_vocabulary = target;
  setup.joined_dictionary = joined;
  TransformerModel model(options, setup);
  int64_t count = 0;
  for (const auto& parameter : model.parameters()) count += parameter.numel();
  return count;
}

TEST(TransformerModel, HasTheParametersThatXuEtAlsBaselineHas) {
  TransformerOptions options;
  use_neutron_conventions(options);
  options.set_sizes(512, 2048, 8, 6);
  // 88,054,661 without the two norms that stand on the embeddings (2 · 2 · 512 are in the body's
  // count).
  EXPECT_EQ(count_parameters(options, 42885, 42885, false), 88054661);
}

TEST(TransformerModel, HasTheParametersOfNguyenAndJotysBaseline) {
  TransformerOptions options;
  use_tensor2tensor_conventions(options);
  options.set_sizes(512, 2048, 8, 6);
  const int64_t count = count_parameters(options, 37000, 37000, true);
  EXPECT_NEAR(static_cast<double>(count) / 1e6, 63.05, 0.005);
  EXPECT_NEAR(static_cast<double>(count - 37000 * 512) / 1e6, 44.10, 0.005);
}

TEST(TransformerModel, HasTheParametersOfNguyenAndNguyensBaseline) {
  TransformerOptions options;
  use_fairseq_conventions(options);
  options.share_all_embeddings = true;
  options.set_sizes(512, 1024, 4, 6);
  EXPECT_NEAR(
      static_cast<double>(count_parameters(options, 20000, 20000, true) - 20000 * 512) / 1e6,
      31.54,
      0.005);
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

TEST(TransformerModel, RefusesToShareEmbeddingsOfTwoDictionaries) {
  TransformerOptions options;
  options.share_all_embeddings = true;
  ArchitectureSetup setup;
  setup.source_vocabulary = setup.target_vocabulary = 7;
  EXPECT_THROW(TransformerModel(options, setup), UsageError);
}

TEST(TransformerModel, DrawsTheSameParametersFromTheSameSeed) {
  TransformerOptions options;
  options.set_sizes(8, 6, 2, 1);
  ArchitectureSetup setup;
  setup.source_vocabulary = setup.target_vocabulary = 7;
  TransformerModel a(options, setup), b(options, setup), c(options, setup);
  a.initialise(3);
  b.initialise(3);
  c.initialise(4);
  const auto pa = a.parameters(), pb = b.parameters(), pc = c.parameters();
  for (size_t i = 0; i < pa.size(); ++i) EXPECT_TRUE(at::equal(pa[i], pb[i]));
  EXPECT_FALSE(at::equal(pa[0], pc[0]));
}

}  // namespace
}  // namespace phraseq::nn
