// Compares transformer_align and its criterion with fairseq's values
// (tests/golden/transformer_align).

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/criterion/criterion.h"
#include "core/options/option_text.h"
#include "core/plugin/loader.h"
#include "plugins/architectures/transformer_align/model.h"
#include "plugins/architectures/transformer_align/presets.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::transformer_align {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing_support::CheckedModel;
using testing_support::examples_of;
using testing_support::golden_values;

constexpr const char* kCriterion = "label_smoothed_cross_entropy_with_alignment";

TransformerAlignOptions options_of(const json& golden) {
  TransformerAlignOptions options;
  OptionTable table;
  options.describe(table);
  from_json(table, golden.at("options"), OptionOrigin::kCheckpoint);
  options.pos = nn::PositionKind::kLearned;
  options.set_dropout(0, 0, 0);
  return options;
}

std::vector<Example> aligned_examples(const json& golden) {
  auto examples = examples_of(golden.at("sources").get<testing_support::Sequences>(),
                              golden.at("targets").get<testing_support::Sequences>());
  for (size_t i = 0; i < examples.size(); ++i)
    examples[i].extras[kAlignmentExtra] = golden.at("alignments")[i].get<std::vector<int64_t>>();
  return examples;
}

/// The model of a case in fp64, with the values of fairseq.
class GoldenModel {
 public:
  explicit GoldenModel(const json& golden)
      : examples(aligned_examples(golden)),
        model(std::make_shared<TransformerAlign>(options_of(golden),
                                                 ArchitectureSetup{11, 13, false, {}})) {
    model->to(at::kDouble);
    testing_support::set_golden_values(*model);
  }
  Batch batch() const { return collate_pairs(examples, model->conventions()); }
  DecoderOutput forward(const Batch& made, nn::Context& context) const {
    return model->forward(made, context);
  }

  std::vector<Example> examples;
  std::shared_ptr<TransformerAlign> model;
};

class AlignmentCriterion : public ::testing::Test {
 protected:
  AlignmentCriterion() {
    load_plugin_file(
        registry_,
        std::string(PHRASEQ_BUILD_FOLDER "/lib/phraseq/libphraseq-") + kCriterion + ".so");
  }

  std::unique_ptr<Criterion> criterion(const json& golden) const {
    const Selection selection = registry_.select(Criterion::kKind, kCriterion);
    OptionTable table;
    selection.options->describe(table);
    const auto set = [&](const char* option, const std::string& value) {
      table.find(option)->from_text(value, OptionOrigin::kCommandLine);
    };
    set("alignment-lambda", golden.at("lambda").dump());
    set("label-smoothing", golden.at("epsilon").dump());
    set("smoothing-kernel", "fairseq-0.12");
    return create<Criterion>(selection, {13});
  }

  LossReport loss_of(const GoldenModel& golden_model, const json& golden, bool training) const {
    nn::Context context(training, nn::Precision::kFp64);
    return criterion(golden)->loss_of_model(
        [&](const Batch& batch, nn::Context& pass) { return golden_model.forward(batch, pass); },
        golden_model.batch(),
        context);
  }

  Registry registry_;
};

TEST_F(AlignmentCriterion, HasTheLossAndTheGradientsOfFairseq) {
  int cases = 0;
  for (const json& golden : golden_values("transformer_align")) {
    SCOPED_TRACE("case " + std::to_string(++cases));
    const GoldenModel golden_model(golden);
    const LossReport report = loss_of(golden_model, golden, /*training=*/true);
    EXPECT_NEAR(report.loss_sum, golden.at("loss").get<double>(), 1e-9);
    EXPECT_NEAR(report.loss.item<double>(), golden.at("loss").get<double>(), 1e-9);
    EXPECT_NEAR(report.nll_sum, golden.at("nll").get<double>(), 1e-9);
    EXPECT_NEAR(
        report.extras.at("alignment_loss"), golden.at("alignment_loss").get<double>(), 1e-9);
    EXPECT_EQ(report.tokens, 12);
    report.loss.backward();
    const auto parameters = golden_model.model->named_parameters();
    ASSERT_EQ(parameters.size(), golden.at("gradients").size());
    for (const auto& entry : parameters) {
      const auto expected = golden.at("gradients").at(entry.key()).get<std::vector<double>>();
      const at::Tensor found = entry.value().grad().flatten();
      ASSERT_EQ(found.numel(), static_cast<int64_t>(expected.size())) << entry.key();
      EXPECT_LT((found - at::tensor(expected, at::kDouble)).abs().max().item<double>(), 1e-9)
          << entry.key();
    }
  }
  EXPECT_EQ(cases, 3);
}

TEST_F(AlignmentCriterion, ValidatesATextWithoutAlignmentsAndRefusesToTrainOnOne) {
  const json golden = golden_values("transformer_align")[0];
  GoldenModel golden_model(golden);
  const double with_alignments = loss_of(golden_model, golden, false).loss_sum;
  for (Example& example : golden_model.examples) example.extras.clear();
  const LossReport without = loss_of(golden_model, golden, false);
  EXPECT_NEAR(
      without.loss_sum, with_alignments - 0.3 * golden.at("alignment_loss").get<double>(), 1e-9);
  EXPECT_EQ(without.extras.at("alignment_loss"), 0);
  EXPECT_THROW(
      try { loss_of(golden_model, golden, true); } catch (const UsageError& problem) {
        EXPECT_THAT(problem.hint(), HasSubstr("--load-alignments"));
        throw;
      },
      UsageError);
}

TEST_F(AlignmentCriterion, RefusesAnArchitectureThatDoesNotAlign) {
  const json golden = golden_values("transformer_align")[0];
  const GoldenModel golden_model(golden);
  nn::TransformerModel plain(options_of(golden), {11, 13, false, {}});
  plain.to(at::kDouble);
  testing_support::set_golden_values(plain);
  nn::Context context(/*training=*/true, nn::Precision::kFp64);
  EXPECT_THROW(
      criterion(golden)->loss_of_model(
          [&](const Batch& batch, nn::Context& pass) { return plain.forward(batch, pass); },
          golden_model.batch(),
          context),
      UsageError);
}

TEST(TransformerAlignModel, AlignsEachSentenceAsFairseqDoes) {
  at::NoGradGuard no_grad;
  for (const json& golden : golden_values("transformer_align")) {
    const GoldenModel golden_model(golden);
    nn::Context context(/*training=*/false, nn::Precision::kFp64);
    const Batch batch = golden_model.batch();
    const at::Tensor found = golden_model.model->align(batch, context);
    for (size_t i = 0; i < golden_model.examples.size(); ++i) {
      int64_t row = batch.target_in.offsets[i];
      for (const json& token : golden.at("weights")[i]) {
        const auto expected = token.get<std::vector<double>>();
        for (int64_t place = 0; place < found.size(1); ++place) {
          const size_t at = static_cast<size_t>(place);
          EXPECT_NEAR(
              found[row][place].item<double>(), at < expected.size() ? expected[at] : 0, 1e-10);
        }
        ++row;
      }
    }
  }
}

/// The checks of every architecture, for each of the cases.
class TransformerAlignChecks : public ::testing::TestWithParam<size_t> {
 protected:
  json golden_ = golden_values("transformer_align")[GetParam()];
  CheckedModel checked_{std::make_shared<TransformerAlign>(options_of(golden_),
                                                           ArchitectureSetup{13, 13, false, {}})};
  std::vector<Example> examples_ = examples_of({{4, 5, 6, kEos}, {7, kEos}, {8, 4, kEos}},
                                               {{5, 4, kEos}, {6, 7, 8, 4, kEos}, {9, kEos}});
};

TEST_P(TransformerAlignChecks, ScoresASentenceAloneAsInABatch) {
  checked_.expect_alone_as_in_a_batch(examples_);
}

TEST_P(TransformerAlignChecks, DecodesStepByStepAsInOnePass) {
  checked_.expect_steps_as_in_one_pass(examples_);
}

TEST_P(TransformerAlignChecks, KeepsThePastOfEachRow) {
  checked_.expect_rows_keep_their_past(examples_);
}

INSTANTIATE_TEST_SUITE_P(EveryCase, TransformerAlignChecks, ::testing::Values(0, 1, 2));

TEST(TransformerAlignOptionsProblems, NameALayerOrAHeadThatIsMissing) {
  TransformerAlignOptions options;
  EXPECT_TRUE(options.problems().empty());
  options.alignment_layer = 6;
  EXPECT_THAT(options.problems(), ::testing::ElementsAre("--alignment-layer 6: expected 0 to 5"));
  options.alignment_layer = 4;
  options.decoder_drop.layers_to_keep = "0,5";
  EXPECT_THAT(options.problems(),
              ::testing::ElementsAre("--alignment-layer 4: expected 0 to 1, among the layers of "
                                     "--decoder-layers-to-keep"));
  options.alignment_layer = 1;
  options.alignment_heads = 9;
  EXPECT_THAT(options.problems(), ::testing::ElementsAre(HasSubstr("--alignment-heads 9")));
}

TEST(TransformerAlignPresets, HaveTheValuesOfFairseq) {
  const auto presets = transformer_align_presets();
  ASSERT_EQ(presets.size(), 2U);
  EXPECT_EQ(presets[0].name, "transformer_wmt_en_de_big_align");
  TransformerAlignOptions options;
  presets[0].apply(options);
  EXPECT_EQ(options.encoder_embed_dim, 1024);
  EXPECT_EQ(options.decoder_ffn_embed_dim, 4096);
  EXPECT_EQ(options.decoder_attention_heads, 16);
  EXPECT_EQ(options.dropout, 0.3);
  EXPECT_EQ(options.attention_dropout, 0.1);
  EXPECT_EQ(options.alignment_heads, 1);
  EXPECT_EQ(options.alignment_layer, 4);
  EXPECT_FALSE(options.full_context_alignment);
}

TEST(TransformerAlignPresets, OfTheTinySizeAlignInTheLastLayerButOne) {
  const Preset tiny = transformer_align_presets()[1];
  EXPECT_EQ(tiny.name, "transformer_align_tiny");
  EXPECT_FALSE(tiny.training.empty());
  TransformerAlignOptions options;
  tiny.apply(options);
  EXPECT_EQ(options.alignment_layer, options.decoder_layers - 2);
  EXPECT_TRUE(options.problems().empty());
}

}  // namespace
}  // namespace phraseq::transformer_align
