#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/convert/export_model.h"
#include "core/options/option_text.h"
#include "plugins/architectures/ssru_transformer/ssru.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::ssru_transformer {
namespace {

using testing_support::CheckedModel;
using testing_support::count_parameters;
using testing_support::examples_of;

SsruTransformerOptions small_options(bool with_projection, bool pre_norm) {
  SsruTransformerOptions options;
  options.set_sizes(8, 10, 2, 2);
  options.set_dropout(0.0, 0.0, 0.0);
  options.ssru_projection = with_projection;
  options.encoder_normalize_before = options.decoder_normalize_before = pre_norm;
  options.max_source_positions = options.max_target_positions = 20;
  return options;
}

std::vector<Example> three_examples() {
  return examples_of({{4, 5, 6, kEos}, {7, kEos}, {8, 4, kEos}},
                     {{5, 4, kEos}, {6, 7, 8, 4, kEos}, {9, kEos}});
}

TEST(SsruTransformerOptions, HaveTheDefaultsThatExportsAssume) {
  const nlohmann::json assumed = default_options_of("ssru_transformer");
  SsruTransformerOptions options;
  OptionTable table;
  options.describe(table);
  const nlohmann::json values = to_json(table);
  for (const auto& [name, value] : assumed.items()) EXPECT_EQ(values.at(name), value) << name;
}

class SsruTransformerModel : public ::testing::TestWithParam<bool> {
 protected:
  CheckedModel checked_{std::make_shared<SsruTransformer>(small_options(GetParam(), GetParam()),
                                                          ArchitectureSetup{10, 10, false, {}})};
};

TEST_P(SsruTransformerModel, ScoresASentenceAloneAsInABatch) {
  checked_.expect_alone_as_in_a_batch(three_examples());
}

TEST_P(SsruTransformerModel, DecodesStepByStepAsInOnePass) {
  checked_.expect_steps_as_in_one_pass(three_examples());
}

TEST_P(SsruTransformerModel, KeepsThePastOfEachRow) {
  checked_.expect_rows_keep_their_past(three_examples());
}

TEST_P(SsruTransformerModel, HasTheGradientOfFiniteDifferences) {
  checked_.expect_gradient_of_finite_differences(three_examples());
}

INSTANTIATE_TEST_SUITE_P(WithoutAndWithProjection, SsruTransformerModel, ::testing::Bool());

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// The equations of the unit in plain loops for the rows of one sentence.
std::vector<double> ssru_by_hand(const at::Tensor& x,
                                 const at::Tensor& weight,
                                 const at::Tensor& gate_weight,
                                 const at::Tensor& gate_bias) {
  const int64_t width = x.size(1);
  std::vector<double> cells(static_cast<size_t>(width), 0.0), outputs;
  const auto product = [&](const at::Tensor& matrix, int64_t row, int64_t t) {
    double sum = 0;
    for (int64_t i = 0; i < width; ++i)
      sum += matrix[row][i].item<double>() * x[t][i].item<double>();
    return sum;
  };
  for (int64_t t = 0; t < x.size(0); ++t) {
    for (int64_t i = 0; i < width; ++i) {
      const double forget = sigmoid(product(gate_weight, i, t) + gate_bias[i].item<double>());
      double& cell = cells[static_cast<size_t>(i)];
      cell = forget * cell + (1 - forget) * product(weight, i, t);
      outputs.push_back(std::max(cell, 0.0));
    }
  }
  return outputs;
}

TEST(Ssru, ComputesItsEquations) {
  at::NoGradGuard no_grad;
  Ssru unit(3, /*with_projection=*/false);
  unit.to(at::kDouble);
  testing_support::set_golden_values(unit);
  const auto parameters = unit.named_parameters();
  const at::Tensor x = at::sin(at::arange(21, at::kDouble) * 0.7).view({7, 3});
  PackedTokens tokens;
  tokens.offsets = {0, 2, 6, 7};
  nn::Context context(false, nn::Precision::kFp64);
  const at::Tensor found = unit.forward(x, tokens, /*causal=*/true, context);
  for (size_t i = 0; i + 1 < tokens.offsets.size(); ++i) {
    const int64_t first = tokens.offsets[i], rows = tokens.offsets[i + 1] - first;
    const auto expected = ssru_by_hand(x.narrow(0, first, rows),
                                       parameters["x_proj.weight"],
                                       parameters["f_proj.weight"],
                                       parameters["f_proj.bias"]);
    const at::Tensor part = found.narrow(0, first, rows).cpu().contiguous();
    const std::vector<double> values(part.data_ptr<double>(),
                                     part.data_ptr<double>() + part.numel());
    EXPECT_THAT(values, ::testing::Pointwise(::testing::DoubleNear(1e-12), expected));
  }
}

TEST(Ssru, CannotBeUsedInAnEncoder) {
  Ssru unit(3, false);
  PackedTokens tokens;
  tokens.offsets = {0, 1};
  nn::Context context(false, nn::Precision::kFp32);
  EXPECT_THROW(unit.forward(at::zeros({1, 3}), tokens, /*causal=*/false, context),
               std::logic_error);
}

TEST(SsruTransformerPage, CountsTheParametersOfALayer) {
  const ArchitectureSetup setup{10, 10, false, {}};
  const auto options = small_options(false, false), projected = small_options(true, false);
  const int64_t d = 8, layers = 2;
  EXPECT_EQ(count_parameters(nn::TransformerModel(options, setup)) -
                count_parameters(SsruTransformer(options, setup)),
            layers * ((4 * d * d + 4 * d) - (2 * d * d + d)));
  EXPECT_EQ(count_parameters(SsruTransformer(projected, setup)) -
                count_parameters(SsruTransformer(options, setup)),
            layers * (d * d + d));
}

}  // namespace
}  // namespace phraseq::ssru_transformer
