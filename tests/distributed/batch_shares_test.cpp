// Threads that compute shares of a batch (--batch-shares).

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/distributed/ranks.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"

namespace phraseq::end_to_end {
namespace {

class BatchShares : public ::testing::Test {
 protected:
  BatchShares() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  CommandResult train(const std::string& save_dir, int updates, const std::string& more) {
    CommandResult result = workspace_.run(toy_train(save_dir, updates) +
                                          words("--threads 2 --max-tokens 110 " + more));
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result;
  }

  void expect_equal_bits(const std::string& a, const std::string& b) const {
    EXPECT_EQ(losses(workspace_, a), losses(workspace_, b));
    EXPECT_EQ(last_tensors(workspace_, a), last_tensors(workspace_, b));
    EXPECT_EQ(records_without_times(workspace_, a, "valid"),
              records_without_times(workspace_, b, "valid"));
  }

  Workspace workspace_;
};

TEST_F(BatchShares, LearnTheSameAsWholeBatchesWithoutDropout) {
  const std::string common = "--dropout 0 --max-epoch 2 --eval-bleu --batch-shares ";
  const CommandResult three = train("three", 1000, common + "3");
  EXPECT_THAT(three.errors, ::testing::HasSubstr("2 threads, in 3 shares of each batch, fp32"));
  train("whole", 1000, common + "1");
  const auto expected = losses(workspace_, "whole"), found = losses(workspace_, "three");
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [update, loss] : expected)
    EXPECT_NEAR(std::stod(found.at(update)), std::stod(loss), 1e-4) << update;
  const auto whole = records_without_times(workspace_, "whole", "epoch").back();
  const auto shares = records_without_times(workspace_, "three", "epoch").back();
  for (const char* name : {"batches", "sentences", "tokens", "updates"})
    EXPECT_EQ(shares.at(name), whole.at(name)) << name;
}

TEST_F(BatchShares, GiveTheSameBitsAgainAndAfterAResume) {
  for (const std::string precision : {"fp32", "bf16"}) {
    const std::string options =
        "--batch-shares 2 --update-freq 2 --store-ema --precision " + precision;
    train(precision, 9, options);
    train("again " + precision, 9, options);
    train("resumed " + precision, 4, options);
    train("resumed " + precision, 9, options);
    expect_equal_bits(precision, "again " + precision);
    // Has one more validation, where it stopped.
    const std::string resumed = "resumed " + precision;
    EXPECT_EQ(losses(workspace_, precision), losses(workspace_, resumed));
    EXPECT_EQ(last_tensors(workspace_, precision), last_tensors(workspace_, resumed));
  }
}

TEST_F(BatchShares, OfSeveralProcessesGiveTheSameBitsAsOneThatAccumulates) {
  const std::string options = "--max-epoch 1 --batch-shares 2 --eval-bleu ";
  train("one", 1000, options + "--update-freq 2");
  train("two", 1000, options + "--nproc-per-node 2");
  expect_equal_bits("one", "two");
}

TEST_F(BatchShares, AreNotChangedWhenARunIsResumed) {
  train("run", 3, "--batch-shares 2");
  const CommandResult other =
      workspace_.run(toy_train("run", 6) + words("--threads 2 --max-tokens 110 --batch-shares 1"));
  EXPECT_EQ(other.exit_code, kExitUsage);
  EXPECT_THAT(other.errors, ::testing::HasSubstr("batch-shares: was 2, now 1"));
}

/// Parameter: an architecture and its options.
class BatchSharesWith : public BatchShares, public ::testing::WithParamInterface<const char*> {};

TEST_P(BatchSharesWith, LearnTheSameAsWholeBatches) {
  const std::string arguments =
      std::string(
          "train data-bin --optimizer sgd --lr 0.05 --lr-scheduler constant --seed 3 --dropout 0 "
          "--precision fp32 --max-tokens 110 --max-update 4 --log-interval 1 --threads 2 ") +
      GetParam();
  for (const std::string shares : {"1", "2"}) {
    const CommandResult result = workspace_.run(
        words(arguments + " --save-dir shares" + shares + " --batch-shares " + shares));
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  }
  EXPECT_LT(
      largest_difference(last_tensors(workspace_, "shares1"), last_tensors(workspace_, "shares2")),
      1e-5);
}

INSTANTIATE_TEST_SUITE_P(
    Architectures,
    BatchSharesWith,
    ::testing::Values(
        "--arch transformer_tiny --attention-dropout 0 --activation-dropout 0",
        "--arch rnnsearch --embed-dim 16 --hidden 24",
        "--arch phrase_rep_tiny --no-share-all-embeddings --attention-dropout 0 "
        "--activation-dropout 0",
        "--arch phrasal_tiny_interleaved_queryk_12 --no-share-all-embeddings "
        "--attention-dropout 0 --activation-dropout 0",
        "--arch phrase_transformer_tiny_3 --no-share-all-embeddings --attention-dropout 0 "
        "--pt-dropout 0 "
        "--activation-dropout 0"),
    [](const auto& parameter) { return "Case" + std::to_string(parameter.index); });

}  // namespace
}  // namespace phraseq::end_to_end
