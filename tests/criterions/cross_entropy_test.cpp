#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/criterion/criterion.h"
#include "core/plugin/loader.h"

namespace phraseq {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

/// Five symbols, a model of width 1, output weights ln a: a row h has logits h · ln a, so that its
/// softmax is a^h / Σ a^h, which a person can compute. Sentence 0 is rows 0 and 1, sentence 1 is
/// row 2.
const std::vector<double> kA = {1, 2, 3, 4, 6};
const std::vector<double> kRows = {1, 2, 1};
const std::vector<int64_t> kTargets = {4, 2, 3};

double minus_log_p(size_t row, size_t symbol) {
  double sum = 0;
  for (const double a : kA) sum += std::pow(a, kRows[row]);
  return -std::log(std::pow(kA[symbol], kRows[row]) / sum);
}

double nll(size_t row) { return minus_log_p(row, static_cast<size_t>(kTargets[row])); }

/// Σ over symbols of q · (ln q - ln p), where q is `gold` for the gold symbol and `others` for
/// every other symbol from `first` on.
double divergence(size_t row, double gold, double others, size_t first) {
  double sum = gold * (std::log(gold) + nll(row));
  for (size_t symbol = first; symbol < kA.size(); ++symbol) {
    if (symbol != static_cast<size_t>(kTargets[row]))
      sum += others * (std::log(others) + minus_log_p(row, symbol));
  }
  return sum;
}

class CrossEntropy : public ::testing::Test {
 protected:
  CrossEntropy() {
    for (const char* name : {"cross_entropy", "label_smoothed_cross_entropy"}) {
      load_plugin_file(registry_,
                       std::string(PHRASEQ_BUILD_FOLDER "/lib/phraseq/libphraseq-") + name + ".so");
    }
    batch_.sentence_ids = {0, 1};
    batch_.source = PackedTokens::pack({{5, 2}, {2}});
    batch_.target_in = PackedTokens::pack({{2, 4}, {2}});
    batch_.target_out = at::tensor(kTargets, at::kLong);
    output_.hidden = at::tensor(kRows, at::kDouble).view({3, 1}).set_requires_grad(true);
    output_.output_weight = at::tensor(kA, at::kDouble).log().view({5, 1}).set_requires_grad(true);
  }

  LossReport loss(const std::string& name, const Given& options) {
    Selection selection = registry_.select(Criterion::kKind, name);
    OptionTable table;
    selection.options->describe(table);
    for (const auto& [option, value] : options) {
      table.find(option)->from_text(value, OptionOrigin::kCommandLine);
    }
    nn::Context context(/*training=*/true, nn::Precision::kFp64);
    return create<Criterion>(selection, {5})->loss(output_, batch_, context);
  }

  Registry registry_;
  Batch batch_;
  DecoderOutput output_;
};

TEST_F(CrossEntropy, SumsMinusLogProbabilitiesOfTheTargets) {
  const LossReport report = loss("cross_entropy", {{"report-accuracy", "yes"}});
  const double expected = std::log(16.0 / 6) + std::log(66.0 / 9) + std::log(16.0 / 4);
  EXPECT_NEAR(report.loss_sum, expected, 1e-12);
  EXPECT_NEAR(report.nll_sum, expected, 1e-12);
  EXPECT_NEAR(report.loss.item<double>(), expected, 1e-12);
  EXPECT_EQ(report.tokens, 3);
  EXPECT_EQ(report.sentences, 2);
  EXPECT_EQ(report.extras.at("correct"), 1);  // symbol 4 is always the best
}

TEST_F(CrossEntropy, HasTheGradientOfTheSoftmax) {
  loss("cross_entropy", {}).loss.backward();
  // d/dh = Σ p ln a - ln a_gold; row 0: p = a / 16.
  double mean = 0;
  for (const double a : kA) mean += a / 16 * std::log(a);
  EXPECT_NEAR(output_.hidden.grad()[0][0].item<double>(), mean - std::log(6.0), 1e-12);
}

TEST_F(CrossEntropy, OmitsThePrefixOfEachSentence) {
  const LossReport report = loss("cross_entropy", {{"ignore-prefix-size", "1"}});
  EXPECT_NEAR(report.nll_sum, std::log(66.0 / 9), 1e-12);
  EXPECT_EQ(report.tokens, 1);
  EXPECT_EQ(report.sentences, 2);
}

TEST_F(CrossEntropy, DividesByThePrefixTooUnderFairseqsKernels) {
  for (const char* kernel : {"fairseq", "fairseq-0.12"}) {
    const LossReport report = loss(
        "label_smoothed_cross_entropy",
        {{"ignore-prefix-size", "1"}, {"smoothing-kernel", kernel}, {"report-accuracy", "yes"}});
    EXPECT_NEAR(report.nll_sum, std::log(66.0 / 9), 1e-12) << kernel;
    EXPECT_EQ(report.tokens, 3) << kernel;
    EXPECT_EQ(report.sentences, 2) << kernel;
    // Only one token remains, symbol 2, which is not the best one of the model.
    EXPECT_EQ(report.extras_per_token(),
              (std::map<std::string, double>{{"correct_per_token", 0.0}}))
        << kernel;
  }
}

TEST_F(CrossEntropy, DividesByTheRestOfTheSentencesUnderTheOtherKernels) {
  for (const char* kernel : {"tensor2tensor", "neutron"}) {
    const LossReport report = loss("label_smoothed_cross_entropy",
                                   {{"ignore-prefix-size", "1"}, {"smoothing-kernel", kernel}});
    EXPECT_NEAR(report.nll_sum, std::log(66.0 / 9), 1e-12) << kernel;
    EXPECT_EQ(report.tokens, 1) << kernel;
  }
}

TEST_F(CrossEntropy, ReportsTheAccuracyOfTheTokensBehindThePrefix) {
  batch_.target_out = at::tensor(std::vector<int64_t>{4, 4, 3}, at::kLong);
  for (const char* kernel : {"fairseq", "neutron"}) {
    const LossReport report = loss(
        "label_smoothed_cross_entropy",
        {{"ignore-prefix-size", "1"}, {"smoothing-kernel", kernel}, {"report-accuracy", "yes"}});
    EXPECT_EQ(report.extras_per_token().at("correct_per_token"), 1.0) << kernel;
  }
}

TEST_F(CrossEntropy, TakesAPrefixLongerThanEverySentence) {
  const LossReport report = loss("label_smoothed_cross_entropy",
                                 {{"ignore-prefix-size", "9"}, {"report-accuracy", "yes"}});
  EXPECT_EQ(report.loss_sum, 0.0);
  EXPECT_EQ(report.tokens, 3);
  EXPECT_EQ(report.extras_per_token().at("correct_per_token"), 0.0);
}

TEST_F(CrossEntropy, TakesForbiddenSymbolsOutOfTheSoftmax) {
  output_.forbidden = {0, 1};
  EXPECT_NEAR(loss("cross_entropy", {}).nll_sum,
              std::log(13.0 / 6) + std::log(61.0 / 9) + std::log(13.0 / 4),
              1e-12);
}

TEST_F(CrossEntropy, SmoothsAsFairseqOverAllSymbolsWithoutAConstant) {
  const LossReport report = loss("label_smoothed_cross_entropy", {{"label-smoothing", "0.1"}});
  double expected = 0;
  for (size_t row = 0; row < 3; ++row) {
    expected += 0.9 * nll(row);
    for (size_t symbol = 0; symbol < 5; ++symbol) expected += 0.1 / 5 * minus_log_p(row, symbol);
  }
  EXPECT_NEAR(report.loss_sum, expected, 1e-12);
  EXPECT_NEAR(report.nll_sum, nll(0) + nll(1) + nll(2), 1e-12);
}

TEST_F(CrossEntropy, SmoothsAsFairseq012OverTheOthersWithoutAConstant) {
  const LossReport report =
      loss("label_smoothed_cross_entropy",
           {{"label-smoothing", "0.1"}, {"smoothing-kernel", "fairseq-0.12"}});
  double expected = 0;
  for (size_t row = 0; row < 3; ++row) {
    expected += (0.9 - 0.1 / 4) * nll(row);
    for (size_t symbol = 0; symbol < 5; ++symbol) expected += 0.1 / 4 * minus_log_p(row, symbol);
  }
  EXPECT_NEAR(report.loss_sum, expected, 1e-12);
}

TEST_F(CrossEntropy, SmoothsAsTensor2tensorOverTheOthersLessTheEntropy) {
  const LossReport report =
      loss("label_smoothed_cross_entropy",
           {{"label-smoothing", "0.1"}, {"smoothing-kernel", "tensor2tensor"}});
  double expected = 0;
  for (size_t row = 0; row < 3; ++row) expected += divergence(row, 0.9, 0.1 / 4, 0);
  EXPECT_NEAR(report.loss_sum, expected, 1e-12);
}

TEST_F(CrossEntropy, SmoothsAsNeutronOverTheOthersButPaddingAndBos) {
  const LossReport report = loss("label_smoothed_cross_entropy",
                                 {{"label-smoothing", "0.1"}, {"smoothing-kernel", "neutron"}});
  double expected = 0;
  for (size_t row = 0; row < 3; ++row) expected += divergence(row, 0.9, 0.1 / 2, 2);
  EXPECT_NEAR(report.loss_sum, expected, 1e-12);
}

TEST_F(CrossEntropy, IsPlainWithoutSmoothingInEveryKernel) {
  for (const char* kernel : {"fairseq", "fairseq-0.12", "tensor2tensor", "neutron"}) {
    const LossReport report = loss("label_smoothed_cross_entropy", {{"smoothing-kernel", kernel}});
    EXPECT_NEAR(report.loss_sum, nll(0) + nll(1) + nll(2), 1e-12) << kernel;
  }
}

TEST(LossReport, GivesExtrasByTheTokensTheyAreAbout) {
  LossReport report;
  report.tokens = 8;
  report.extras = {{"correct", 3}};
  EXPECT_EQ(report.extras_per_token(),
            (std::map<std::string, double>{{"correct_per_token", 3.0 / 8}}));
  report.extras[kJudgedTokens] = 6;
  EXPECT_EQ(report.extras_per_token(), (std::map<std::string, double>{{"correct_per_token", 0.5}}));
}

TEST(LossReport, AddsSumsAndExtrasButNotTheTensor) {
  LossReport first;
  first.loss_sum = 1.5;
  first.nll_sum = 1.25;
  first.tokens = 7;
  first.sentences = 2;
  first.extras = {{"correct", 3}};
  LossReport second = first;
  second.loss = at::ones({});
  second.extras = {{"correct", 1}, {"phrases", 4}};
  first.add(second);
  EXPECT_EQ(first.loss_sum, 3.0);
  EXPECT_EQ(first.nll_sum, 2.5);
  EXPECT_EQ(first.tokens, 14);
  EXPECT_EQ(first.sentences, 4);
  EXPECT_EQ(first.extras, (std::map<std::string, double>{{"correct", 4}, {"phrases", 4}}));
  EXPECT_FALSE(first.loss.defined());
}

}  // namespace
}  // namespace phraseq
