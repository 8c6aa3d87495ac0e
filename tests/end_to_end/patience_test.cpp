#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

/// For each validation, how many in a row were worse than the best one before them.
std::vector<int> worse_in_a_row(const Workspace& workspace) {
  std::vector<int> counts;
  double best = 0;
  for (const auto& record : records(workspace, "run", "valid")) {
    const double loss = record.at("loss");
    const bool is_better = counts.empty() || loss < best;
    counts.push_back(is_better ? 0 : counts.back() + 1);
    best = is_better ? loss : best;
  }
  return counts;
}

TEST(Patience, EndsTheRunAfterNValidationsWithoutImprovement) {
  Workspace workspace;
  write_toy_corpus(workspace);
  ASSERT_EQ(workspace.run(toy_preprocess()).exit_code, kExitOk);
  // With such a learning rate, the model only gets worse.
  const CommandResult result =
      workspace.run(toy_train("run", 50) +
                    words("--lr 1 --warmup-updates 1 --validate-interval-updates 1 --patience 3"));
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  const std::vector<int> counts = worse_in_a_row(workspace);
  ASSERT_LT(counts.size(), 50u);
  ASSERT_GE(counts.size(), 4u);
  EXPECT_EQ(counts.back(), 3);
  EXPECT_THAT(std::vector<int>(counts.begin(), counts.end() - 1), testing::Each(testing::Lt(3)));
}

/// A run that stopped at the end of an epoch has already validated this model.
TEST(Patience, CountsAModelOnceThatIsValidatedBeforeAndAfterAResume) {
  Workspace workspace;
  write_toy_corpus(workspace);
  ASSERT_EQ(workspace.run(toy_preprocess()).exit_code, kExitOk);
  const auto train = [&](int updates) {
    const auto result = workspace.run(toy_train("run", updates) +
                                      words("--threads 1 --max-tokens 100000 --patience 1"));
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  };
  train(1);  // an epoch has one update
  train(2);
  EXPECT_THAT(worse_in_a_row(workspace), testing::ElementsAre(0, 0));
}

}  // namespace
}  // namespace phraseq::end_to_end
