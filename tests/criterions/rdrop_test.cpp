// Compares R-Drop with the values of tests/golden/rdrop, which were computed independently of
// phraseq.

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/criterion/criterion.h"
#include "core/plugin/loader.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr const char* kRDrop = "label_smoothed_cross_entropy_with_rdrop";

at::Tensor matrix_of(const json& rows) {
  std::vector<double> values;
  for (const auto& row : rows) {
    for (const auto& value : row) values.push_back(value.get<double>());
  }
  return at::tensor(values, at::kDouble)
      .view({static_cast<int64_t>(rows.size()), -1})  // [rows, columns]
      .set_requires_grad(true);
}

std::vector<json> golden_cases() {
  std::ifstream stream(PHRASEQ_SOURCE_FOLDER "/tests/golden/rdrop/golden.json");
  return json::parse(stream).get<std::vector<json>>();
}

/// The batch of a case, and the two passes of a model that returns its hidden states in turn.
class Passes {
 public:
  explicit Passes(const json& golden)
      : hidden{matrix_of(golden.at("first")), matrix_of(golden.at("second"))},
        weight(matrix_of(golden.at("weight"))) {
    if (!golden.at("bias").is_null())
      bias = at::tensor(golden.at("bias").get<std::vector<double>>(), at::kDouble)
                 .set_requires_grad(true);
    forbidden = golden.at("forbidden").get<std::vector<int64_t>>();
    const auto offsets = golden.at("offsets").get<std::vector<size_t>>();
    const auto targets = golden.at("targets").get<std::vector<int64_t>>();
    std::vector<std::vector<int64_t>> sentences;
    for (size_t i = 0; i + 1 < offsets.size(); ++i)
      sentences.emplace_back(targets.begin() + static_cast<int64_t>(offsets[i]),
                             targets.begin() + static_cast<int64_t>(offsets[i + 1]));
    batch.source = PackedTokens::pack(sentences);
    batch.target_in = batch.source;
    batch.target_out = at::tensor(targets, at::kLong);
  }

  ForwardPass model() {
    return [this](const Batch&, nn::Context&) {
      DecoderOutput output;
      output.hidden = hidden.at(passes++ % 2);
      output.output_weight = weight;
      output.output_bias = bias;
      output.forbidden = forbidden;
      return output;
    };
  }

  Batch batch;
  std::vector<at::Tensor> hidden;
  at::Tensor weight, bias;
  std::vector<int64_t> forbidden;
  size_t passes = 0;
};

class RDropCriterion : public ::testing::Test {
 protected:
  RDropCriterion() {
    load_plugin_file(registry_,
                     std::string(PHRASEQ_BUILD_FOLDER "/lib/phraseq/libphraseq-") + kRDrop + ".so");
  }

  std::unique_ptr<Criterion> criterion(const json& golden) const {
    const Selection selection = registry_.select(Criterion::kKind, kRDrop);
    OptionTable table;
    selection.options->describe(table);
    const auto set = [&](const char* option, const json& value) {
      table.find(option)->from_text(value.is_string() ? value.get<std::string>() : value.dump(),
                                    OptionOrigin::kCommandLine);
    };
    set("rdrop-alpha", golden.at("alpha"));
    set("label-smoothing", golden.at("epsilon"));
    set("smoothing-kernel", golden.at("kernel"));
    set("ignore-prefix-size", golden.at("prefix"));
    set("report-accuracy", "yes");
    return create<Criterion>(selection, {static_cast<int64_t>(golden.at("weight").size())});
  }

  Registry registry_;
};

void expect_gradient(const at::Tensor& found, const json& expected, const char* name) {
  const at::Tensor golden = expected.front().is_array()
                                ? matrix_of(expected)
                                : at::tensor(expected.get<std::vector<double>>(), at::kDouble);
  ASSERT_TRUE(found.defined()) << name;
  EXPECT_LE((found - golden).abs().max().item<double>(), 1e-12) << name;
}

TEST_F(RDropCriterion, HasTheLossAndTheGradientsOfFairseqsDefinition) {
  int cases = 0;
  for (const json& golden : golden_cases()) {
    SCOPED_TRACE("case " + std::to_string(++cases));
    Passes passes(golden);
    nn::Context context(/*training=*/true, nn::Precision::kFp64);
    const LossReport report =
        criterion(golden)->loss_of_model(passes.model(), passes.batch, context);
    EXPECT_EQ(passes.passes, 2u);
    EXPECT_NEAR(report.loss_sum, golden.at("loss").get<double>(), 1e-11);
    EXPECT_NEAR(report.loss.item<double>(), golden.at("loss").get<double>(), 1e-11);
    EXPECT_NEAR(report.nll_sum, golden.at("nll").get<double>(), 1e-11);
    EXPECT_NEAR(report.extras.at("rdrop_kl_loss"), golden.at("kl").get<double>(), 1e-11);
    EXPECT_EQ(report.tokens, 8);
    EXPECT_EQ(report.sentences, 3);
    report.loss.backward();
    expect_gradient(passes.hidden[0].grad(), golden.at("d_first"), "first");
    expect_gradient(passes.hidden[1].grad(), golden.at("d_second"), "second");
    expect_gradient(passes.weight.grad(), golden.at("d_weight"), "weight");
    if (passes.bias.defined())
      expect_gradient(passes.bias.grad(), golden.at("d_bias"), "bias");
  }
  EXPECT_EQ(cases, 5);
}

TEST_F(RDropCriterion, HasTheGradientOfFiniteDifferences) {
  const json golden = golden_cases().front();
  Passes passes(golden);
  const auto loss = [&] {
    nn::Context context(/*training=*/true, nn::Precision::kFp64);
    return criterion(golden)->loss_of_model(passes.model(), passes.batch, context);
  };
  loss().loss.backward();
  constexpr double kStep = 1e-6;
  for (const at::Tensor& tensor : {passes.hidden[0], passes.hidden[1], passes.weight}) {
    at::Tensor values = tensor.detach();
    for (int64_t i = 0; i < values.numel(); ++i) {
      at::Tensor element = values.view({-1})[i];
      const auto at_rest = element.item<double>();
      element.fill_(at_rest + kStep);
      const double above = loss().loss_sum;
      element.fill_(at_rest - kStep);
      const double below = loss().loss_sum;
      element.fill_(at_rest);
      EXPECT_NEAR(tensor.grad().view({-1})[i].item<double>(), (above - below) / (2 * kStep), 1e-7);
    }
  }
}

TEST_F(RDropCriterion, EvaluatesOnePassAsTwoEqualOnes) {
  json golden = golden_cases().front();
  golden["second"] = golden.at("first");
  const auto report = [&](bool training) {
    Passes passes(golden);
    nn::Context context(training, nn::Precision::kFp64);
    const LossReport loss = criterion(golden)->loss_of_model(passes.model(), passes.batch, context);
    EXPECT_EQ(passes.passes, training ? 2u : 1u);
    return loss;
  };
  const LossReport trained = report(true);
  const LossReport evaluated = report(false);
  EXPECT_NEAR(trained.loss_sum, evaluated.loss_sum, 1e-12);
  EXPECT_NEAR(trained.loss.item<double>(), evaluated.loss.item<double>(), 1e-12);
  EXPECT_NEAR(trained.nll_sum, evaluated.nll_sum, 1e-12);
  EXPECT_EQ(trained.extras.at("correct"), evaluated.extras.at("correct"));
  EXPECT_NEAR(trained.extras.at("rdrop_kl_loss"), 0.0, 1e-15);
}

TEST_F(RDropCriterion, IsPlainLabelSmoothingWithoutAlpha) {
  json golden = golden_cases().front();
  golden["alpha"] = 0;
  Passes passes(golden);
  nn::Context context(/*training=*/true, nn::Precision::kFp64);
  const LossReport report = criterion(golden)->loss_of_model(passes.model(), passes.batch, context);
  EXPECT_EQ(passes.passes, 1u);
  golden["alpha"] = 3;
  const LossReport evaluated = [&] {
    Passes again(golden);
    nn::Context evaluation(/*training=*/false, nn::Precision::kFp64);
    return criterion(golden)->loss_of_model(again.model(), again.batch, evaluation);
  }();
  EXPECT_NEAR(2 * report.loss_sum, evaluated.loss_sum, 1e-12);
  EXPECT_NEAR(report.nll_sum, evaluated.nll_sum, 1e-12);
}

}  // namespace
}  // namespace phraseq
