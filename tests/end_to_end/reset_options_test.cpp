// --reset-dataloader, --reset-optimizer and --reset-meters have the same meaning as in fairseq.

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

/// A run of two epochs, which the tests continue.
class ResetOptions : public ::testing::Test {
 protected:
  ResetOptions() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
    train("--max-epoch 2");
  }

  std::string train(const std::string& more) {
    const CommandResult result =
        workspace_.run(toy_train("run", 1000) + words("--threads 1 " + more));
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result.errors;
  }

  std::vector<nlohmann::json> records() const {
    std::vector<nlohmann::json> all;
    for (const std::string& line : lines_of(workspace_.read("run/metrics.jsonl")))
      all.push_back(nlohmann::json::parse(line));
    return all;
  }

  /// The values of a field in all records of one kind after the first `first_run_` records.
  template <class Value>
  std::vector<Value> later(const std::string& event, const std::string& field) const {
    const auto all = records();
    std::vector<Value> values;
    for (size_t i = first_run_; i < all.size(); ++i) {
      if (all[i].at("event") == event)
        values.push_back(all[i].at(field).get<Value>());
    }
    return values;
  }

  Workspace workspace_;
  size_t first_run_ = 0;
};

TEST_F(ResetOptions, WithoutThePlaceInTheDataEpochsAreCountedFromOne) {
  const auto batches = records().back().at("updates").get<int64_t>() / 2;
  first_run_ = records().size();
  const std::string log = train("--max-epoch 3 --reset-dataloader");
  EXPECT_THAT(log, HasSubstr("epoch 3 of --max-epoch 3"));
  EXPECT_THAT(later<int64_t>("epoch", "epoch"), ElementsAre(1, 2, 3));
  EXPECT_THAT(later<int64_t>("epoch", "updates"),
              ElementsAre(3 * batches, 4 * batches, 5 * batches));
  EXPECT_EQ(later<int64_t>("valid", "updates").size(), 3U);
}

TEST_F(ResetOptions, AnIncompleteEpochIsForgottenWithThePlaceInTheData) {
  const auto whole = records().back().at("updates").get<int64_t>();
  const int64_t tokens = later<int64_t>("epoch", "tokens").back();
  train("--max-update " + std::to_string(whole + 1));  // one update of the third epoch
  first_run_ = records().size();
  train("--max-epoch 1 --reset-dataloader");
  EXPECT_THAT(later<int64_t>("epoch", "tokens"), ElementsAre(tokens));
}

TEST_F(ResetOptions, ANewOptimizerCountsItsUpdatesFromZero) {
  const auto updates = records().back().at("updates").get<int64_t>();
  const auto rates = later<double>("train", "lr");
  first_run_ = records().size();
  const std::string log =
      train("--reset-optimizer --max-update " + std::to_string(updates + 1) + " --max-epoch 3");
  EXPECT_THAT(log, HasSubstr("at update 0, epoch 3, batch 0"));
  EXPECT_THAT(later<double>("train", "lr"),
              // The warm-up is repeated.
              ElementsAreArray(rates.begin(), rates.begin() + updates / 2));
}

TEST_F(ResetOptions, ANewOptimizerMayHaveOtherOptions) {
  const std::string log = train("--reset-optimizer --weight-decay 0.25 --max-epoch 3");
  EXPECT_THAT(log, HasSubstr("resumed from"));
}

TEST_F(ResetOptions, TheBestValueIsForgottenWithTheMetersAndWithTheOptimizer) {
  for (const std::string reset : {"--reset-meters", "--reset-optimizer"}) {
    // Such a learning rate makes the model worse, so a new best value shows that the old one is
    // gone.
    const auto best = later<double>("valid", "best").back();
    train(reset +
          " --reset-lr-scheduler --lr 3 --warmup-updates 1 --reset-dataloader --max-epoch 1");
    EXPECT_GT(later<double>("valid", "best").back(), best) << reset;
  }
}

}  // namespace
}  // namespace phraseq::end_to_end
