#include "core/plot/curves/learning_curves.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/plot/curves/learning_curves_page.h"
#include "core/plot/curves/plot_options.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/xml.h"

namespace phraseq::plot {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing_support::XmlCheck;

/// Measurements after 100, 200 … updates, with an epoch and half an hour between them.
std::vector<Measurement> measured(const std::vector<double>& values) {
  std::vector<Measurement> points;
  for (size_t i = 0; i < values.size(); ++i) {
    const double n = static_cast<double>(i) + 1;
    points.push_back({100 * n, n, {n / 2, n / 4}, values[i]});
  }
  return points;
}

LabeledRun example_run(const std::string& label) {
  RunMetrics metrics;
  metrics.path = label + "/metrics.jsonl";
  metrics.intervals = {{"loss", measured({4, 3, 2})}, {"lr", measured({0.1, 0.2, 0.1})}};
  metrics.validations = {{"loss", measured({5, 3})}, {"BLEU", measured({1, 20})}};
  metrics.scores = {"BLEU"};
  return {label, metrics};
}

CurveSettings settings_for(std::vector<std::string> metrics) {
  CurveSettings settings;
  settings.metrics = std::move(metrics);
  return settings;
}

std::vector<std::string> titles(const PanelChart& chart) {
  std::vector<std::string> found;
  for (const auto& panel : chart.panels) found.push_back(panel.title);
  return found;
}

TEST(LearningCurves, HaveAPanelForEachMetricInBits) {
  const auto chart = learning_curves({example_run("base")}, settings_for({"loss", "score", "lr"}));
  EXPECT_EQ(chart.title, "Learning curves: base");
  EXPECT_EQ(chart.x_title, "Updates");
  EXPECT_THAT(titles(chart), ElementsAre("Loss (bits per token)", "BLEU", "Learning rate"));
  ASSERT_EQ(chart.panels[0].curves.size(), 2u);
  EXPECT_EQ(chart.panels[0].curves[0].points[1].x, 200);
  EXPECT_DOUBLE_EQ(chart.panels[0].curves[0].points[1].y, 3 / std::log(2));
  EXPECT_DOUBLE_EQ(chart.panels[1].curves[0].points[1].y, 20);
  ASSERT_EQ(chart.legend.size(), 2u);
  EXPECT_EQ(chart.legend[0].name, "training");
  EXPECT_EQ(chart.legend[1].name, "validation");
  EXPECT_THAT(chart.notes, IsEmpty());
}

TEST(LearningCurves, MayRunOverProcessorHoursWhereTheyAreKnown) {
  auto settings = settings_for({"loss"});
  settings.x = CurveAxis::kProcessorHours;
  auto without = example_run("b");
  for (auto* part : {&without.metrics.intervals, &without.metrics.validations}) {
    for (auto& [name, points] : *part) {
      for (auto& point : points) point.time.processor_hours = std::nan("");
    }
  }
  const auto chart = learning_curves({example_run("a"), without}, settings);
  ASSERT_EQ(chart.panels[0].curves.size(), 2u);  // training and validation of a
  EXPECT_EQ(chart.panels[0].curves[0].points[2].x, 0.75);
  EXPECT_EQ(chart.x_title, "Processor hours of training");
  EXPECT_THAT(chart.notes,
              ElementsAre("Measurements without \"Processor hours of training\" are left out: b."));
}

TEST(LearningCurves, MayRunOverEpochsOrHours) {
  auto settings = settings_for({"loss"});
  settings.x = CurveAxis::kEpochs;
  EXPECT_EQ(learning_curves({example_run("a")}, settings).panels[0].curves[0].points[2].x, 3);
  settings.x = CurveAxis::kHours;
  const auto chart = learning_curves({example_run("a")}, settings);
  EXPECT_EQ(chart.panels[0].curves[0].points[2].x, 1.5);
  EXPECT_EQ(chart.x_title, "Hours of training");
}

TEST(LearningCurves, ShareOnePictureAmongRunsOfDifferentLength) {
  LabeledRun other = example_run("other <&>");
  other.metrics.intervals["loss"] = measured({1});
  other.metrics.validations.clear();
  other.metrics.scores.clear();
  const auto chart =
      learning_curves({example_run("base"), other, {"new", {}}}, settings_for({"loss", "bleu"}));
  EXPECT_EQ(chart.title, "Learning curves");
  EXPECT_EQ(chart.panels[0].curves.size(), 3u);
  EXPECT_NE(chart.panels[0].curves[0].style.color, chart.panels[0].curves[2].style.color);
  ASSERT_EQ(chart.legend.size(), 5u);
  EXPECT_EQ(chart.legend[1].name, "other <&>");
  EXPECT_THAT(chart.notes, ElementsAre("No BLEU: other <&>.", "No measurements yet: new."));
  EXPECT_EQ(XmlCheck(panel_chart(chart).document()).fault(), "");
}

TEST(LearningCurves, DrawEpochsWhereThereAreFewerIntervals) {
  LabeledRun run = example_run("short");
  run.metrics.intervals.clear();
  run.metrics.epochs = {{"loss", measured({7, 6})}};
  const auto chart = learning_curves({run}, settings_for({"loss"}));
  EXPECT_EQ(chart.panels[0].curves[0].points.size(), 2u);
}

TEST(LearningCurves, LeaveOutAMissingPanelWithANote) {
  LabeledRun run = example_run("a");
  run.metrics.scores.clear();
  run.metrics.validations.erase("BLEU");
  const auto chart = learning_curves({run}, CurveSettings{});
  EXPECT_THAT(titles(chart), ElementsAre("Loss (bits per token)", "Learning rate"));
  ASSERT_EQ(chart.notes.size(), 1u);
  EXPECT_THAT(chart.notes[0],
              AllOf(HasSubstr("Not recorded: nll_loss, score (train --eval-bleu records it)"),
                    HasSubstr("tokens_per_second")));
}

TEST(LearningCurves, SayHowTheyAreSmoothed) {
  auto settings = settings_for({"loss"});
  settings.smoothing = 0.5;
  const auto chart = learning_curves({example_run("a")}, settings);
  ASSERT_EQ(chart.panels[0].curves.size(), 3u);  // pale, smoothed, validation
  EXPECT_LT(chart.panels[0].curves[0].style.opacity, 0.5);
  // TensorBoard: 4; (0.25 · 4 + 0.5 · 3) / 0.75; (0.125 · 4 + 0.25 · 3 + 0.5 · 2) / 0.875
  const auto& smooth = chart.panels[0].curves[1].points;
  EXPECT_NEAR(smooth[0].y * std::log(2), 4, 1e-12);
  EXPECT_NEAR(smooth[1].y * std::log(2), 2.5 / 0.75, 1e-12);
  EXPECT_NEAR(smooth[2].y * std::log(2), 2.25 / 0.875, 1e-12);
  ASSERT_EQ(chart.notes.size(), 1u);
  EXPECT_THAT(chart.notes[0], HasSubstr("exponential moving average, weight 0.5"));
}

TEST(LearningCurves, CountWhatIsNotFinite) {
  LabeledRun run = example_run("a");
  run.metrics.intervals["loss"][1].value = std::numeric_limits<double>::quiet_NaN();
  auto settings = settings_for({"loss"});
  settings.smoothing = 0.5;
  const auto chart = learning_curves({run}, settings);
  EXPECT_THAT(chart.notes.back(), HasSubstr("drawn as gaps: 1 of 3 loss."));
  EXPECT_TRUE(std::isfinite(chart.panels[0].curves[1].points[2].y));
}

TEST(LearningCurves, RefuseAnUnknownMetricAndNameTheNearest) {
  try {
    learning_curves({example_run("a")}, settings_for({"los"}));
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("--metrics los"),
                      HasSubstr("did you mean 'loss'"),
                      HasSubstr("BLEU, loss, lr")));
  }
}

TEST(LearningCurves, RefuseToDrawNothing) {
  try {
    learning_curves({LabeledRun{"a", {}}}, CurveSettings{});
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--log-interval"));
  }
}

TEST(LearningCurvesPage, LoadsNothingAndListsTheRuns) {
  const std::string page =
      learning_curves_page({example_run("a<b>"), {"new", {}}}, settings_for({"loss", "score"}));
  EXPECT_THAT(page, ::testing::StartsWith("<!DOCTYPE html>\n"));
  EXPECT_THAT(page, ::testing::EndsWith("</html>\n"));
  EXPECT_THAT(page,
              HasSubstr("<td title=\"a&lt;b&gt;/metrics.jsonl\">a&lt;b&gt;</td><td>300</td>"
                        "<td>3.0</td><td>1.50</td><td>4.328 at 200</td><td>BLEU 20.00</td>"));
  EXPECT_THAT(page, HasSubstr("@media (prefers-color-scheme: dark)"));
  for (const char* loader : {"http", "src=", "<script", "<link", "url("})
    EXPECT_THAT(page, Not(HasSubstr(loader)));
}

class CurvesInAFolder : public ::testing::Test {
 protected:
  void write_metrics() {
    std::ofstream(folder_ / "metrics.jsonl")
        << "{\"event\":\"train\",\"updates\":1,\"loss\":2,\"wall\":1}\n";
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
};

TEST_F(CurvesInAFolder, AreWrittenNextToTheMetrics) {
  write_metrics();
  write_learning_curves(folder_.string());
  std::ifstream file(folder_ / "learning_curves.svg");
  const std::string svg((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(XmlCheck(svg).fault(), "");
  EXPECT_THAT(svg, HasSubstr("Learning curves: phraseq-test-"));
}

TEST_F(CurvesInAFolder, NeverFailATraining) {
  write_learning_curves(folder_.string());  // no metrics.jsonl
  EXPECT_FALSE(fs::exists(folder_ / "learning_curves.svg"));
  write_metrics();
  fs::create_directories(folder_ / "learning_curves.svg" / "below");  // cannot be replaced
  write_learning_curves(folder_.string());
  EXPECT_TRUE(fs::is_directory(folder_ / "learning_curves.svg"));
}

TEST(PlotOptions, ExpectAKnownSuffixAndALabelForEachRun) {
  PlotOptions options;
  options.runs = {"a", "b"};
  EXPECT_THAT(options.problems(), IsEmpty());
  options.output = "x.png";
  options.labels = {"one"};
  EXPECT_THAT(options.problems(),
              ElementsAre(HasSubstr("--labels: 1 name for 2 runs"), HasSubstr("--output x.png")));
}

}  // namespace
}  // namespace phraseq::plot
