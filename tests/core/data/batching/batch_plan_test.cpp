#include "core/data/batching/batch_plan.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/data/data_loader.h"
#include "tests/core/data/random_corpus.h"

namespace phraseq {
namespace {

using phraseq::testing::LengthsCorpus;
using phraseq::testing::random_lengths;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Batches = std::vector<std::vector<int64_t>>;

BatchingOptions in_order(int64_t max_tokens, int64_t max_sentences) {
  BatchingOptions options;
  options.max_tokens = max_tokens;
  options.max_sentences = max_sentences;
  options.shuffle = false;
  return options;
}

TEST(BatchPlan, SortsByTargetThenSourceLengthAndKeepsTheOrderOfEquals) {
  const LengthsCorpus corpus({{4, 6}, {3, 5}, {2, 6}, {3, 5}, {9, 2}});
  EXPECT_THAT(plan_batches(corpus, in_order(0, 0), 1).batches,
              ElementsAre(ElementsAre(4, 1, 3, 2, 0)));
}

TEST(BatchPlan, CountsTheTokensOfTheLargerSide) {
  // In order: sources 2+3 = 5, targets 4+4 = 8; a third would make sources 12, targets 12.
  const LengthsCorpus corpus({{2, 4}, {3, 4}, {7, 4}});
  EXPECT_THAT(plan_batches(corpus, in_order(8, 0), 1).batches,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
  EXPECT_THAT(plan_batches(corpus, in_order(11, 0), 1).batches,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
  EXPECT_THAT(plan_batches(corpus, in_order(12, 0), 1).batches, ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(BatchPlan, PutsASentenceOverTheBudgetIntoItsOwnBatch) {
  const LengthsCorpus corpus({{2, 3}, {50, 4}, {2, 5}});
  EXPECT_THAT(plan_batches(corpus, in_order(10, 0), 1).batches,
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

TEST(BatchPlan, KeepsToTheNumberOfSentences) {
  const LengthsCorpus corpus({{2, 2}, {2, 3}, {2, 4}, {2, 5}, {2, 6}});
  EXPECT_THAT(plan_batches(corpus, in_order(0, 2), 1).batches,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4)));
}

TEST(BatchPlan, ReportsWhatItSkipsByReasonWithTheFirstNumbers) {
  BatchingOptions options = in_order(0, 0);
  options.max_source_positions = 8;
  options.max_target_positions = 6;
  const LengthsCorpus corpus(
      {{1, 3}, {9, 1}, {3, 7}, {9, 3}, {1, 2}, {1, 1}, {1, 4}, {2, 2}, {8, 6}});
  const BatchPlan plan = plan_batches(corpus, options, 1);
  EXPECT_THAT(plan.batches, ElementsAre(ElementsAre(7, 8)));
  EXPECT_EQ(plan.skipped.total(), 7);
  EXPECT_EQ(plan.skipped.text(),
            "source is empty: 4 (sentence 1, 5, 6 …); target is empty: 1 (sentence 2); "
            "target has more than 6 tokens (--max-target-positions): 1 (sentence 3); "
            "source has more than 8 tokens (--max-source-positions): 1 (sentence 4)");
}

TEST(BatchPlan, NamesTheLimitOfTheTargetWhereBothSidesAreTooLong) {
  BatchingOptions options = in_order(0, 0);
  options.max_source_positions = options.max_target_positions = 6;
  const LengthsCorpus language_model({{7, 7}, {6, 6}});
  EXPECT_EQ(plan_batches(language_model, options, 1).skipped.text(),
            "target has more than 6 tokens (--max-target-positions): 1 (sentence 1)");
}

TEST(BatchPlan, TakesSentencesThatHaveNoTarget) {
  const LengthsCorpus corpus({{3, 0}, {2, 0}});
  const BatchPlan plan = plan_batches(corpus, in_order(0, 0), 1);
  EXPECT_THAT(plan.batches, ElementsAre(ElementsAre(1, 0)));
  EXPECT_EQ(plan.skipped.total(), 0);
}

TEST(BatchPlan, ShufflesBySeedAndEpoch) {
  Random random(7);
  const LengthsCorpus corpus(random_lengths(random, 200, 20));
  BatchingOptions options = in_order(60, 0);
  options.shuffle = true;
  const Batches first = plan_batches(corpus, options, 1).batches;
  EXPECT_EQ(first, plan_batches(corpus, options, 1).batches);
  EXPECT_NE(first, plan_batches(corpus, options, 2).batches);
  options.seed = 2;
  EXPECT_NE(first, plan_batches(corpus, options, 1).batches);
}

/// Expects every sentence in one batch or among the skipped ones, whatever the corpus and the
/// budget, and no batch over a limit unless it has a single sentence.
TEST(BatchPlan, CoversEverySentenceOnceWithinTheBudget) {
  Random random(2024);
  for (int round = 0; round < 300; ++round) {
    const auto lengths = random_lengths(random, static_cast<int64_t>(random.below(90)), 30);
    const LengthsCorpus corpus(lengths);
    BatchingOptions options =
        in_order(static_cast<int64_t>(random.below(120)), static_cast<int64_t>(random.below(9)));
    options.shuffle = random.below(2) == 0;
    options.max_source_positions = 20 + static_cast<int64_t>(random.below(20));
    options.seed = random.next();
    const BatchPlan plan = plan_batches(corpus, options, 1 + round % 3);

    std::multiset<int64_t> seen;
    for (const auto& batch : plan.batches) {
      ASSERT_FALSE(batch.empty());
      int64_t source = 0;
      int64_t target = 0;
      for (const int64_t index : batch) {
        seen.insert(index);
        source += corpus.source_length(index);
        target += corpus.target_length(index);
      }
      if (batch.size() > 1 && options.max_tokens > 0) {
        ASSERT_LE(std::max(source, target), options.max_tokens);
      }
      if (options.max_sentences > 0) {
        ASSERT_LE(static_cast<int64_t>(batch.size()), options.max_sentences);
      }
    }
    std::multiset<int64_t> expected;
    for (int64_t i = 0; i < corpus.size(); ++i) {
      const int64_t source = corpus.source_length(i);
      const int64_t target = corpus.target_length(i);
      if (source > 1 && target > 1 && source <= options.max_source_positions)
        expected.insert(i);
    }
    ASSERT_EQ(seen, expected) << "round " << round;
    ASSERT_EQ(static_cast<int64_t>(seen.size()) + plan.skipped.total(), corpus.size());
  }
}

}  // namespace
}  // namespace phraseq
