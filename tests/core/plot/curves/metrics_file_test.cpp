#include "core/plot/curves/metrics_file.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::plot {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MetricsFile : public ::testing::Test {
 protected:
  RunMetrics read(const std::string& text) const {
    std::ofstream(folder_ / "metrics.jsonl", std::ios::binary) << text;
    return read_run_metrics(folder_.string());
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
};

std::string train(int updates, double loss, double wall, int batch = 0, int epoch = 1) {
  return fmt::format(
      "{{\"batch\":{},\"batches\":10,\"epoch\":{},\"event\":\"train\",\"loss\":{},\"updates\":{},"
      "\"wall\":{}}}\n",
      batch,
      epoch,
      loss,
      updates,
      wall);
}

std::string valid(int updates, double loss, double wall, int epoch = 1) {
  return fmt::format(
      "{{\"epoch\":{},\"event\":\"valid\",\"loss\":{},\"score\":{},\"score_name\":\"BLEU\","
      "\"subset\":\"valid\",\"updates\":{},\"wall\":{}}}\n",
      epoch,
      loss,
      10 * loss,
      updates,
      wall);
}

std::vector<double> values(const std::vector<Measurement>& points) {
  std::vector<double> found;
  for (const auto& point : points) found.push_back(point.value);
  return found;
}

std::vector<double> updates(const std::vector<Measurement>& points) {
  std::vector<double> found;
  for (const auto& point : points) found.push_back(point.updates);
  return found;
}

TEST_F(MetricsFile, HoldsTrainingAndValidationByName) {
  const auto run = read(train(10, 4, 3600, 5) + valid(10, 3, 5400) + train(20, 2, 7200, 10));
  EXPECT_THAT(values(run.intervals.at("loss")), ElementsAre(4, 2));
  EXPECT_THAT(values(run.validations.at("loss")), ElementsAre(3));
  EXPECT_THAT(values(run.validations.at("BLEU")), ElementsAre(30));
  EXPECT_THAT(run.scores, ElementsAre("BLEU"));
  EXPECT_EQ(run.intervals.at("loss")[1].time.hours, 2);
  EXPECT_EQ(run.intervals.at("loss")[0].epochs, 0.5);
  EXPECT_EQ(run.validations.at("loss")[0].epochs, 0.5);
  EXPECT_EQ(run.intervals.count("updates"), 0u);
  EXPECT_EQ(bad_lines_text(run), "");
}

TEST_F(MetricsFile, PlacesAValidationBetweenIntervalsWithinItsEpoch) {
  const auto run = read(train(10, 4, 1, 5) + valid(15, 3, 2) + train(20, 2, 3, 10) +
                        valid(25, 1, 4, 2) + valid(1000, 1, 5, 2));
  EXPECT_THAT(run.validations.at("loss")[0].epochs, 0.75);
  EXPECT_THAT(run.validations.at("loss")[1].epochs, 1.25);
  EXPECT_THAT(run.validations.at("loss")[2].epochs, 2);
}

TEST_F(MetricsFile, KeepsRepeatedUpdatesAfterAResume) {
  const auto run =
      read(train(10, 4, 3600) + train(20, 3, 7200) + valid(20, 9, 7200) + train(30, 2, 10800) +
           "{\"event\":\"resume\",\"updates\":20,\"checkpoint\":\"c\",\"wall\":5}\n" +
           train(30, 1, 1800));
  EXPECT_THAT(values(run.intervals.at("loss")), ElementsAre(4, 3, 1));
  EXPECT_THAT(values(run.validations.at("loss")), ElementsAre(9));
  // 2 hours before the resume, 0.5 after it.
  EXPECT_EQ(run.intervals.at("loss")[2].time.hours, 2.5);
}

TEST_F(MetricsFile, AddsTheProcessorTimeOfAllProcesses) {
  const auto with_processor = [](std::string line, double seconds) {
    return line.insert(1, fmt::format("\"processor\":{},", seconds));
  };
  const auto run = read(with_processor(train(10, 4, 3600), 7200) +
                        "{\"event\":\"resume\",\"updates\":10,\"checkpoint\":\"c\",\"wall\":5}\n" +
                        with_processor(train(20, 3, 1800), 1800) + train(30, 2, 2000));
  const auto& points = run.intervals.at("loss");
  EXPECT_EQ(points[0].time.processor_hours, 2);
  EXPECT_EQ(points[1].time.processor_hours, 2.5);
  EXPECT_TRUE(std::isnan(points[2].time.processor_hours));
  EXPECT_EQ(run.intervals.count("processor"), 0u);
}

TEST_F(MetricsFile, ForgetsARunThatWasStartedAgainFromScratch) {
  const auto run = read(train(10, 4, 5) + train(20, 3, 10) + valid(20, 9, 10) + train(10, 8, 5));
  EXPECT_THAT(values(run.intervals.at("loss")), ElementsAre(8));
  EXPECT_THAT(run.validations.at("loss"), IsEmpty());
  EXPECT_NEAR(run.intervals.at("loss")[0].time.hours, 5.0 / 3600, 1e-12);
}

TEST_F(MetricsFile, ForgetsTheEarlierRunBeforeTheFirstRecordOfTheNewOne) {
  const std::string old_run = train(10, 4, 10) + valid(10, 3, 10) + train(20, 2, 20);
  const std::string start = R"({"event":"start","processor":0,"updates":0,"wall":0.1})";
  EXPECT_THAT(read(old_run + start + '\n').intervals.at("loss"), IsEmpty());
  const auto run = read(old_run + start + '\n' + train(100, 5, 90));
  EXPECT_THAT(values(run.intervals.at("loss")), ElementsAre(5));
  EXPECT_THAT(run.validations.at("loss"), IsEmpty());
}

TEST_F(MetricsFile, ContinuesWhereTheResumeEventIsLost) {
  const auto run = read(train(10, 4, 5) + train(20, 3, 10) + train(30, 2, 3) + train(40, 1, 6));
  EXPECT_THAT(updates(run.intervals.at("loss")), ElementsAre(10, 20, 30, 40));
  EXPECT_NEAR(run.intervals.at("loss")[3].time.hours, 16.0 / 3600, 1e-12);
}

TEST_F(MetricsFile, LeavesOutAnIncompleteLine) {
  auto run = read(train(10, 4, 5) + train(20, 3, 10).substr(0, 50));
  EXPECT_THAT(values(run.intervals.at("loss")), ElementsAre(4));
  EXPECT_THAT(bad_lines_text(run),
              AllOf(HasSubstr("metrics.jsonl:2: "), HasSubstr("the line was left out")));
  // A later process continued in the same line.
  run =
      read(train(10, 4, 5) + train(20, 3, 10).substr(0, 50) + train(30, 2, 12) + train(40, 1, 13));
  EXPECT_THAT(values(run.intervals.at("loss")), ElementsAre(4, 2, 1));
  run = read(train(10, 4, 5) + std::string(20, '\0') + "\n[1]\n{}\n" + train(20, 3, 10));
  EXPECT_THAT(values(run.intervals.at("loss")), ElementsAre(4, 3));
  EXPECT_THAT(bad_lines_text(run), HasSubstr(":2: not a complete JSON object; 3 such lines were"));
}

TEST_F(MetricsFile, ReadsWhatIsNotFiniteAsNan) {
  const auto run = read(
      "{\"event\":\"train\",\"updates\":1,\"loss\":null,\"lr\":0.5}\n"
      "{\"event\": \"train\", \"updates\": 2, \"loss\": NaN, \"lr\": -Infinity}\n");
  EXPECT_THAT(run.intervals.at("loss"), ::testing::SizeIs(2));
  EXPECT_TRUE(std::isnan(run.intervals.at("loss")[0].value));
  EXPECT_TRUE(std::isnan(run.intervals.at("loss")[1].value));
  EXPECT_EQ(run.intervals.at("lr")[0].value, 0.5);
  EXPECT_EQ(bad_lines_text(run), "");
}

TEST_F(MetricsFile, IsEmptyBeforeTheFirstMeasurement) {
  EXPECT_TRUE(read("").is_empty());
  EXPECT_TRUE(read("{\"event\":\"bad_update\",\"updates\":3}\n").is_empty());
}

TEST_F(MetricsFile, ReportsAFileOfAnotherKind) {
  try {
    read("step,loss\n1,2\n");
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("metrics.jsonl:1: "), HasSubstr("--save-dir")));
  }
}

TEST_F(MetricsFile, ReportsAFolderWithoutIt) {
  try {
    read_run_metrics(folder_.string());
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_THAT(
        error.what(),
        AllOf(HasSubstr(folder_.string()), HasSubstr("no metrics.jsonl"), HasSubstr("--no-save")));
  }
  EXPECT_THROW(read_run_metrics((folder_ / "missing").string()), IoError);
}

TEST_F(MetricsFile, MayBeNamedItself) {
  read(train(10, 4, 5));
  EXPECT_FALSE(read_run_metrics((folder_ / "metrics.jsonl").string()).is_empty());
}

}  // namespace
}  // namespace phraseq::plot
