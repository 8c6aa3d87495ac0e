#include "core/train/training_log.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/train/validation/validator.h"
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

/// The sums of an interval go on where the checkpoint left them, its seconds do not.
TEST(TrainingLog, DoesNotCountForSpeedsWhatWasDoneBeforeAResume) {
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

TEST(ValidationLosses, AreInBaseTwoAndLeftOutWhereTheyAreNotFinite) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(losses_text({{"loss", 2.0}, {"nll_loss", 1.5}, {"ppl", 4.481689}}),
            " | loss 2.885 | nll_loss 2.164 (base 2) | ppl 4.48");
  EXPECT_EQ(losses_text({{"loss", -std::nan("")}, {"nll_loss", 800.0}, {"ppl", infinite}}),
            " | nll_loss 1154.156 (base 2)");
  EXPECT_EQ(
      part_lines({{"parts", {{"de-en", {{"loss", 2.0}, {"nll_loss", 1.5}, {"ppl", infinite}}}}}}),
      "\n  de-en | loss 2.885 | nll_loss 2.164 (base 2)");
}

}  // namespace
}  // namespace phraseq
