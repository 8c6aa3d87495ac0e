// N processes with --update-freq 1 compute what one process computes with --update-freq N.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/distributed/ranks.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"

namespace phraseq::end_to_end {
namespace {

class SeveralProcesses : public ::testing::Test {
 protected:
  SeveralProcesses() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  void train(const std::string& save_dir, const std::string& more) {
    const CommandResult result =
        workspace_.run(toy_train(save_dir, 1000) + words("--threads 1 " + more));
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  }

  void expect_equal_bits(const std::string& a, const std::string& b) const {
    EXPECT_EQ(losses(workspace_, a), losses(workspace_, b));
    EXPECT_EQ(last_tensors(workspace_, a), last_tensors(workspace_, b));
    EXPECT_EQ(records_without_times(workspace_, a, "epoch"),
              records_without_times(workspace_, b, "epoch"));
    EXPECT_EQ(records_without_times(workspace_, a, "valid"),
              records_without_times(workspace_, b, "valid"));
  }

  Workspace workspace_;
};

// The last update of an epoch has fewer batches than there are processes.
TEST_F(SeveralProcesses, GiveTheSameBitsAsOneProcessThatAccumulates) {
  const std::string common = "--max-tokens 110 --max-epoch 2 --eval-bleu ";
  for (const int count : {2, 4}) {
    const std::string number = std::to_string(count);
    train("one" + number, common + "--update-freq " + number);
    train("many" + number, common + "--nproc-per-node " + number);
    expect_equal_bits("one" + number, "many" + number);
  }
  const auto epochs = records_without_times(workspace_, "many4", "epoch");
  ASSERT_EQ(epochs.size(), 2U);
  EXPECT_NE(epochs.front().at("batches").get<int>() % 4, 0)
      << "there is no uneven update; change the case";
  EXPECT_EQ(epochs.front().at("sentences"), 200);
}

/// Parameter: how the gradients are added.
class GradientsOfProcesses : public SeveralProcesses,
                             public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Ways,
                         GradientsOfProcesses,
                         ::testing::Values("--no-overlap",
                                           "--bucket-cap-mb 0.002",
                                           "--bucket-cap-mb 0.002 --update-freq 3",
                                           "--bucket-cap-mb 0.002 --ddp-comm-hook bf16",
                                           "--zero 1",
                                           "--zero-sharding os --bucket-cap-mb 0.002 --store-ema"),
                         [](const auto& parameter) {
                           return "Case" + std::to_string(parameter.index);
                         });

/// Compared with one bucket of all matrices, without overlap.
TEST_P(GradientsOfProcesses, AreAddedToTheSameBits) {
  const std::string way = GetParam();
  const auto has = [&](const char* option) { return way.find(option) != std::string::npos; };
  const std::string common = "--max-tokens 110 --max-epoch 2 --nproc-per-node 2 ";
  train("way", common + way);
  train("plain",
        common + "--no-overlap " + (has("update-freq") ? "--update-freq 3 " : "") +
            (has("bf16") ? "--ddp-comm-hook bf16 " : "") + (has("store-ema") ? "--store-ema" : ""));
  expect_equal_bits("way", "plain");
}

/// Parameter: an optimizer with its options.
class DividedOptimizer : public SeveralProcesses,
                         public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Optimizers,
                         DividedOptimizer,
                         ::testing::Values("adam", "nag --momentum 0.9", "adagrad", "sgd"),
                         [](const auto& parameter) {
                           return "Case" + std::to_string(parameter.index);
                         });

/// Four processes save what three and then one continue.
TEST_P(DividedOptimizer, IsSavedWholeAndContinuedByOtherNumbersOfProcesses) {
  const std::string common =
      "--max-tokens 110 --accumulate-to-tokens 300 --disable-validation "
      "--optimizer " +
      std::string(GetParam()) + " ";
  const auto train_until = [&](const char* save_dir, int updates, const std::string& more) {
    const CommandResult result =
        workspace_.run(toy_train(save_dir, updates) + words("--threads 1 " + common + more));
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  };
  train_until("divided", 3, "--nproc-per-node 4 --zero 1");
  train_until("whole", 3, "--nproc-per-node 4");
  EXPECT_EQ(last_tensors(workspace_, "divided"), last_tensors(workspace_, "whole"));
  train_until("divided", 6, "--nproc-per-node 3 --zero 1");
  train_until("whole", 6, "--nproc-per-node 3");
  EXPECT_EQ(last_tensors(workspace_, "divided"), last_tensors(workspace_, "whole"));
  train_until("divided", 8, "");
  train_until("whole", 8, "");
  expect_equal_bits("divided", "whole");
}

TEST_F(SeveralProcesses, RejectAnOptimizerThatCannotBeDivided) {
  const CommandResult result = workspace_.run(
      toy_train("run", 3) + words("--threads 1 --nproc-per-node 2 --zero 1 --optimizer adafactor"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors,
              ::testing::HasSubstr("--zero-sharding os cannot divide the state of --optimizer "
                                   "adafactor"));
}

TEST_F(SeveralProcesses, AccumulateSeveralBatchesEach) {
  const std::string common = "--max-tokens 110 --max-epoch 1 --disable-validation ";
  train("one", common + "--update-freq 4");
  train("two", common + "--update-freq 2 --nproc-per-node 2");
  // (a + c) + (b + d) and ((a + b) + c) + d differ in their last bits, which Adam's first updates
  // enlarge.
  EXPECT_LT(largest_difference(last_tensors(workspace_, "one"), last_tensors(workspace_, "two")),
            1e-4);
  const auto one = records_without_times(workspace_, "one", "train");
  const auto two = records_without_times(workspace_, "two", "train");
  ASSERT_EQ(one.size(), two.size());
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].at("tokens"), two[i].at("tokens"));
    EXPECT_NEAR(one[i].at("loss").get<double>(), two[i].at("loss").get<double>(), 1e-5);
  }
}

TEST_F(SeveralProcesses, MakeTheSameGroupsFromANumberOfTokens) {
  const std::string common = "--max-tokens 110 --accumulate-to-tokens 300 --max-epoch 1 ";
  train("one", common);
  train("two", common + "--nproc-per-node 2");
  const auto one = records_without_times(workspace_, "one", "train");
  const auto two = records_without_times(workspace_, "two", "train");
  ASSERT_EQ(one.size(), two.size());
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].at("tokens"), two[i].at("tokens"));
    EXPECT_NEAR(one[i].at("loss").get<double>(), two[i].at("loss").get<double>(), 1e-5);
  }
}

TEST_F(SeveralProcesses, SendHalfTheBytesWithBf16AndLearnTheSame) {
  const std::string common = "--max-tokens 110 --max-epoch 2 --nproc-per-node 2 ";
  train("fp32", common);
  train("bf16", common + "--ddp-comm-hook bf16");
  const auto exact =
      records_without_times(workspace_, "fp32", "valid").back().at("loss").get<double>();
  const auto rounded =
      records_without_times(workspace_, "bf16", "valid").back().at("loss").get<double>();
  EXPECT_NE(exact, rounded);
  EXPECT_NEAR(exact, rounded, 0.05);
}

TEST_F(SeveralProcesses, ContinueARunOfOneProcessThatAccumulated) {
  const std::string common = "--max-tokens 110 --max-epoch 3 ";
  train("unbroken", common + "--update-freq 2");
  const CommandResult begun =
      workspace_.run(toy_train("resumed", 5) + words("--threads 1 --update-freq 2 " + common));
  ASSERT_EQ(begun.exit_code, kExitOk) << begun.errors;
  const CommandResult resumed = workspace_.run(toy_train("resumed", 1000) +
                                               words("--threads 1 --nproc-per-node 2 " + common));
  ASSERT_EQ(resumed.exit_code, kExitOk) << resumed.errors;
  EXPECT_THAT(resumed.errors,
              ::testing::HasSubstr("trained with 1 process before, with 2 now: updates consist "
                                   "of the same batches"));
  EXPECT_EQ(last_tensors(workspace_, "resumed"), last_tensors(workspace_, "unbroken"));
  EXPECT_EQ(losses(workspace_, "resumed"), losses(workspace_, "unbroken"));

  const CommandResult alone =
      workspace_.run(toy_train("resumed", 1000) + words("--threads 1 --max-tokens 110 "
                                                        "--max-epoch 4"));
  ASSERT_EQ(alone.exit_code, kExitOk) << alone.errors;
  EXPECT_THAT(alone.errors, ::testing::HasSubstr("an update consists of 1 batches instead of 2"));
}

/// Parameter: an architecture and its options.
class SeveralProcessesWith : public SeveralProcesses,
                             public ::testing::WithParamInterface<const char*> {};

TEST_P(SeveralProcessesWith, GiveTheSameBitsAsOneProcess) {
  const std::string arguments =
      std::string(
          "train data-bin --optimizer adam --lr 0.002 --lr-scheduler constant --seed 3 "
          "--max-tokens 110 --max-update 4 --log-interval 1 --threads 1 ") +
      GetParam();
  const CommandResult one = workspace_.run(words(arguments + " --save-dir one --update-freq 2"));
  ASSERT_EQ(one.exit_code, kExitOk) << one.errors;
  const CommandResult two = workspace_.run(words(arguments + " --save-dir two --nproc-per-node 2"));
  ASSERT_EQ(two.exit_code, kExitOk) << two.errors;
  expect_equal_bits("one", "two");
}

INSTANTIATE_TEST_SUITE_P(
    Architectures,
    SeveralProcessesWith,
    ::testing::Values("--arch rnnsearch --embed-dim 16 --hidden 24 --dropout 0.1",
                      "--arch phrase_rep_tiny --no-share-all-embeddings",
                      "--arch phrasal_tiny_interleaved_queryk_12 --no-share-all-embeddings",
                      "--arch phrase_transformer_tiny_3 --no-share-all-embeddings"),
    [](const auto& parameter) { return "Case" + std::to_string(parameter.index); });

TEST(SeveralProcessesWithAPhraseMemory, GiveTheSameBitsAsOneProcess) {
  Workspace workspace;
  write_toy_corpus(workspace);
  workspace.write("table",
                  "one two ||| eins zwei ||| numbers ||| 1 ||| 9\n"
                  "six ||| sechs ||| numbers ||| 1 ||| 9\n");
  const CommandResult made =
      workspace.run(toy_preprocess() + words("--phrase-table table --pn-slots 3"));
  ASSERT_EQ(made.exit_code, kExitOk) << made.errors;
  const std::string arguments =
      "train data-bin --task translation_with_phrase_memory --criterion phrase_mixture "
      "--arch phrasenet --embed-dim 16 --hidden 24 --gate-hidden 16 --coverage-dim 3 "
      "--optimizer adam --lr 0.01 --lr-scheduler constant --max-tokens 110 --max-update 5 "
      "--log-interval 1 --threads 1 ";
  const CommandResult one = workspace.run(words(arguments + "--save-dir one --update-freq 2"));
  ASSERT_EQ(one.exit_code, kExitOk) << one.errors;
  const CommandResult two = workspace.run(words(arguments + "--save-dir two --nproc-per-node 2"));
  ASSERT_EQ(two.exit_code, kExitOk) << two.errors;
  EXPECT_EQ(losses(workspace, "one"), losses(workspace, "two"));
  EXPECT_EQ(last_tensors(workspace, "one"), last_tensors(workspace, "two"));
}

}  // namespace
}  // namespace phraseq::end_to_end
