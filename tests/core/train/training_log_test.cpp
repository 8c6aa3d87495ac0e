#include "core/train/training_log.h"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/train/validation/validation_result.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

IntervalSums work(int64_t tokens, int64_t updates) {
  IntervalSums sums;
  sums.losses.tokens = tokens;
  sums.updates = updates;
  return sums;
}

std::vector<nlohmann::json> metrics_in(const TemporaryFolder& folder) {
  std::vector<nlohmann::json> records;
  std::ifstream lines(folder.file("metrics.jsonl"));
  for (std::string line; std::getline(lines, line);) records.push_back(nlohmann::json::parse(line));
  return records;
}

/// After a resume, the sums of an interval continue from the checkpoint, but its seconds do not.
TEST(TrainingLog, ExcludesFromSpeedsWhatWasDoneBeforeAResume) {
  const TemporaryFolder folder;
  MachineOptions quiet;
  quiet.quiet = true;
  TrainState resumed;
  resumed.interval = work(1'000'000, 50);
  resumed.epoch = work(3'000'000, 150);
  {
    TrainingLog log(quiet, folder.path());
    log.begin({}, {}, resumed);
    log.interval({}, resumed.interval);
    log.epoch_end({}, resumed.epoch);
    log.interval({}, work(10, 1));
  }
  const auto records = metrics_in(folder);
  ASSERT_EQ(records.size(), 3U);
  for (const size_t first : {0U, 1U}) {
    EXPECT_EQ(records[first].at("tokens_per_second"), 0.0);
    EXPECT_EQ(records[first].at("updates_per_second"), 0.0);
  }
  EXPECT_EQ(records[0].at("tokens"), 1'000'000);
  EXPECT_GT(records[2].at("tokens_per_second"), 0.0);
}

TEST(TrainingLog, WritesTheBestResultOnlyOfTheSplitThatSelectsCheckpoints) {
  const TemporaryFolder folder;
  MachineOptions quiet;
  quiet.quiet = true;
  TrainingProgress progress;
  progress.epoch = 3;
  progress.updates = 70;
  progress.best = 1.25;
  progress.best_metric = "loss";
  ValidationResult result;
  result.subset = "dev";
  result.losses.loss = 2.0;
  {
    TrainingLog log(quiet, folder.path());
    log.validation(progress, result);
    log.further_validation(progress, result);
  }
  const auto records = metrics_in(folder);
  ASSERT_EQ(records.size(), 2U);
  for (const nlohmann::json& record : records) {
    EXPECT_EQ(record.at("subset"), "dev");
    EXPECT_EQ(record.at("loss"), 2.0);
    EXPECT_EQ(record.at("epoch"), 3);
    EXPECT_EQ(record.at("updates"), 70);
  }
  EXPECT_EQ(records[0].at("event"), "valid");
  EXPECT_EQ(records[0].at("best"), 1.25);
  EXPECT_EQ(records[0].at("best_metric"), "loss");
  EXPECT_EQ(records[1].at("event"), "valid_further");
  EXPECT_FALSE(records[1].contains("best") || records[1].contains("best_metric"));
}

}  // namespace
}  // namespace phraseq
