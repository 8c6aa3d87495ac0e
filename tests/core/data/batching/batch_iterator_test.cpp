#include "core/data/batching/batch_iterator.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <pthread.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/data/data_loader.h"
#include "tests/core/data/random_corpus.h"

namespace phraseq {
namespace {

using phraseq::testing::LengthsCorpus;
using phraseq::testing::random_lengths;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ids = std::vector<int64_t>;

Batch ids_only(const std::vector<Example>& examples) {
  Batch batch;
  for (const Example& example : examples) batch.sentence_ids.push_back(example.id);
  return batch;
}

std::shared_ptr<Corpus> corpus_of(int64_t size) {
  Random random(static_cast<uint64_t>(size));
  return std::make_shared<LengthsCorpus>(random_lengths(random, size, 15));
}

BatchingOptions budget(int64_t max_tokens) {
  BatchingOptions options;
  options.max_tokens = max_tokens;
  return options;
}

BatchIterator iterator_over(int64_t size, BatchingOptions options, int64_t prefetch = 3) {
  return {corpus_of(size), options, ids_only, prefetch};
}

/// The sentence ids of the next `steps` batches; an empty list marks the end of an epoch.
std::vector<Ids> take(BatchIterator& iterator, int64_t steps) {
  std::vector<Ids> taken;
  for (int64_t i = 0; i < steps; ++i) {
    const auto batch = iterator.next();
    taken.push_back(batch ? batch->sentence_ids : Ids());
  }
  return taken;
}

/// Indexed data of a few sentences.
struct IndexedLengths final : LengthsCorpus {
  using LengthsCorpus::LengthsCorpus;
  std::string fingerprint() const override {
    return "indexed 3 sentences, crc32c 00c0ffee 00000001, ids 0000000a 0000000b, trees 00000002, "
           "tree ids 0000000c";
  }
};

/// Version 0.1.0 recorded no checksums of the ids.
TEST(BatchIterator, TakesThePositionOfTheFirstVersion) {
  Random random(1);
  const auto corpus = std::make_shared<IndexedLengths>(random_lengths(random, 3, 15));
  BatchIterator iterator(corpus, budget(40), ids_only, 3);
  nlohmann::json position = iterator.position();
  position["plan"]["corpus"] = "indexed 3 sentences, crc32c 00c0ffee 00000001, trees 00000002";
  EXPECT_NO_THROW(iterator.restore(position));
  position["plan"]["corpus"] = "indexed 3 sentences, crc32c 00c0ffee 00000009, trees 00000002";
  EXPECT_THROW(iterator.restore(position), FormatError);
}

TEST(BatchIterator, ReturnsThePlanOfEachEpochInOrderAndThenNothing) {
  BatchIterator iterator = iterator_over(37, budget(40));
  for (int64_t epoch = 1; epoch <= 3; ++epoch) {
    const auto plan = plan_batches(*corpus_of(37), budget(40), epoch);
    for (const Ids& expected : plan.batches) ASSERT_EQ(iterator.next()->sentence_ids, expected);
    EXPECT_EQ(iterator.epoch(), epoch);
    EXPECT_EQ(iterator.batches_delivered(), iterator.batches_in_epoch());
    EXPECT_FALSE(iterator.next());
    EXPECT_EQ(iterator.epoch(), epoch);
  }
}

/// The ids of an epoch's batches in their order, which the iterators of all processes make
/// together.
std::vector<Ids> take_shared(std::vector<std::unique_ptr<BatchIterator>>& iterators,
                             int64_t first_owner = 0) {
  std::vector<Ids> taken;
  for (int64_t expected_owner = first_owner;; ++expected_owner) {
    std::optional<Ids> made;
    for (auto& iterator : iterators) {
      const auto planned = iterator->next_planned();
      if (!planned)
        continue;
      EXPECT_EQ(planned->owner, expected_owner % static_cast<int64_t>(iterators.size()));
      if (!planned->micro_batches.empty()) {
        EXPECT_FALSE(made) << "two processes made the batch";
        made = planned->micro_batches.front().sentence_ids;
        EXPECT_EQ(planned->sentence_ids, *made);
      }
    }
    if (!made)
      return taken;
    taken.push_back(*made);
  }
}

std::vector<std::unique_ptr<BatchIterator>> shared_iterators(int64_t processes) {
  std::vector<std::unique_ptr<BatchIterator>> iterators;
  for (int64_t rank = 0; rank < processes; ++rank) {
    iterators.push_back(
        std::make_unique<BatchIterator>(corpus_of(37), budget(40), ids_only, rank + 1));
    iterators.back()->share(rank, processes);
  }
  return iterators;
}

TEST(BatchIterator, SharesEveryEpochSoThatEachBatchIsMadeByOneProcess) {
  for (const int64_t processes : {1, 2, 3, 100}) {
    auto iterators = shared_iterators(processes);
    for (int64_t epoch = 1; epoch <= 3; ++epoch)
      EXPECT_EQ(take_shared(iterators), plan_batches(*corpus_of(37), budget(40), epoch).batches);
  }
}

TEST(BatchIterator, IsContinuedByAnotherNumberOfProcesses) {
  const auto all = plan_batches(*corpus_of(37), budget(40), 1).batches;
  BatchIterator alone = iterator_over(37, budget(40));
  take(alone, 3);
  auto iterators = shared_iterators(4);
  for (auto& iterator : iterators) iterator->restore(alone.position());
  EXPECT_EQ(take_shared(iterators), std::vector<Ids>(all.begin() + 3, all.end()));
}

/// Which of `processes` processes makes each of the next batches, starting at `position` if it is
/// not null.
std::vector<int64_t> owners(int64_t processes, int64_t batches, nlohmann::json* position) {
  BatchIterator iterator = iterator_over(37, budget(20));
  iterator.share(1, processes);
  if (!position->is_null())
    iterator.restore(*position);
  std::vector<int64_t> found;
  for (int64_t i = 0; i < batches; ++i) {
    const auto planned = iterator.next_planned();
    found.push_back(planned->owner);
    EXPECT_EQ(planned->micro_batches.empty(), planned->owner != 1);
  }
  *position = iterator.position();
  return found;
}

/// With --accumulate-to-tokens, a run may stop anywhere. Sums over the processes have the same bits
/// only if each process adds the same batches as in a run without the stop.
TEST(BatchIterator, IsContinuedByTheSameOwnersWhereTheirNumberIsTheSame) {
  nlohmann::json position;
  EXPECT_THAT(owners(3, 4, &position), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(owners(3, 1, &position), ElementsAre(1));
  EXPECT_THAT(owners(3, 2, &position), ElementsAre(2, 0));
  EXPECT_THAT(owners(4, 2, &position), ElementsAre(0, 1)) << "of another number, the first begins";
  EXPECT_THAT(owners(4, 1, &position), ElementsAre(2));
}

TEST(BatchIterator, KnowsTheTargetTokensOfBatchesThatItDoesNotMake) {
  auto iterators = shared_iterators(2);
  const auto made = iterators[0]->next_planned();
  const auto other = iterators[1]->next_planned();
  ASSERT_TRUE(!made->micro_batches.empty() && other->micro_batches.empty());
  EXPECT_EQ(made->target_tokens, other->target_tokens);
  EXPECT_GT(other->target_tokens, 0);
}

/// The micro-batches of every batch of an epoch.
std::vector<std::vector<Ids>> take_divided(BatchIterator& iterator) {
  std::vector<std::vector<Ids>> taken;
  while (const auto planned = iterator.next_planned()) {
    auto& parts = taken.emplace_back();
    for (const Batch& part : planned->micro_batches) parts.push_back(part.sentence_ids);
  }
  return taken;
}

/// No batch has 1,000 sentences.
TEST(BatchIterator, DividesEveryBatchIntoPartsOfEveryNthSentence) {
  const auto plan = plan_batches(*corpus_of(37), budget(40), 1).batches;
  for (const int64_t count : {3, 1000}) {
    BatchIterator iterator = iterator_over(37, budget(40));
    iterator.divide(count);
    const auto taken = take_divided(iterator);
    ASSERT_EQ(taken.size(), plan.size());
    for (size_t batch = 0; batch < plan.size(); ++batch) {
      const auto& parts = taken[batch];
      ASSERT_EQ(parts.size(), std::min(static_cast<size_t>(count), plan[batch].size()));
      for (size_t i = 0; i < plan[batch].size(); ++i)
        EXPECT_EQ(parts[i % parts.size()].at(i / parts.size()), plan[batch][i]);
    }
  }
}

TEST(BatchIterator, ContinuesAtTheSameBatchWhenSharedAndDivided) {
  const auto plan = plan_batches(*corpus_of(37), budget(40), 1).batches;
  BatchIterator before = iterator_over(37, budget(40));
  before.divide(2);
  for (int i = 0; i < 3; ++i) before.next_planned();
  BatchIterator after = iterator_over(37, budget(40), 1);
  after.share(1, 2);
  after.divide(4);
  after.restore(before.position());
  const auto taken = take_divided(after);
  ASSERT_EQ(taken.size(), plan.size() - 3);
  for (size_t i = 0; i < taken.size(); ++i) {
    EXPECT_EQ(taken[i].empty(), i % 2 == 0) << "of which process is batch " << i;
    if (!taken[i].empty()) {
      EXPECT_EQ(taken[i].front().front(), plan[i + 3].front());
    }
  }
}

TEST(BatchIterator, ContinuesFromEveryPositionAsWithoutInterruption) {
  const int64_t per_epoch = iterator_over(29, budget(40)).batches_in_epoch() + 1;
  BatchIterator unbroken = iterator_over(29, budget(40));
  const auto all = take(unbroken, 2 * per_epoch);
  for (int64_t stop = 0; stop < 2 * per_epoch; ++stop) {
    BatchIterator before = iterator_over(29, budget(40));
    take(before, stop);
    const auto saved = nlohmann::json::parse(before.position().dump());
    BatchIterator after = iterator_over(29, budget(40), 1);
    after.restore(saved);
    const std::vector<Ids> rest(all.begin() + stop, all.end());
    ASSERT_EQ(take(after, static_cast<int64_t>(rest.size())), rest) << "stopped after " << stop;
  }
}

TEST(BatchIterator, DoesNotCountWhatWasOnlyPrefetched) {
  BatchIterator iterator = iterator_over(40, budget(30), 8);
  take(iterator, 2);
  EXPECT_EQ(iterator.batches_delivered(), 2);
  EXPECT_EQ(iterator.position().at("batches"), 2);
}

TEST(BatchIterator, IsAtTheNextEpochAfterTheEndWasReported) {
  BatchIterator iterator = iterator_over(9, budget(1000));
  take(iterator, iterator.batches_in_epoch());
  EXPECT_EQ(iterator.position().at("epoch"), 1);
  take(iterator, 1);
  EXPECT_EQ(iterator.position().at("epoch"), 2);
  EXPECT_EQ(iterator.position().at("batches"), 0);
}

TEST(BatchIterator, ReportsWhichOptionDiffersFromTheRecordedOne) {
  const auto position = iterator_over(29, budget(40)).position();
  BatchingOptions other = budget(50);
  other.seed = 3;
  BatchIterator iterator = iterator_over(29, other);
  try {
    iterator.restore(position);
    FAIL() << "was accepted";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("max-tokens: was 40, now 50"));
    EXPECT_THAT(error.what(), HasSubstr("seed: was 1, now 3"));
    EXPECT_THAT(error.what(), Not(HasSubstr("shuffle")));
  }
}

TEST(BatchIterator, RejectsThePositionOfOtherData) {
  const auto position = iterator_over(29, budget(40)).position();
  BatchIterator iterator = iterator_over(30, budget(40));
  try {
    iterator.restore(position);
    FAIL() << "was accepted";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("corpus: was \"lengths 29\", now \"lengths 30\""));
  }
}

TEST(BatchIterator, RejectsAPlaceAfterTheEpochsEnd) {
  BatchIterator iterator = iterator_over(29, budget(40));
  auto position = iterator.position();
  position["batches"] = 10'000;
  EXPECT_THROW(iterator.restore(position), FormatError);
  position["batches"] = "many";
  EXPECT_THROW(iterator.restore(position), FormatError);
}

TEST(BatchIterator, PassesAnExceptionOfItsThreadToTheCaller) {
  const Collate failing = [](const std::vector<Example>& examples) -> Batch {
    static std::atomic<int> calls = 0;
    if (++calls == 3)
      throw DataError("line 17 is bad");
    return ids_only(examples);
  };
  BatchIterator iterator(corpus_of(40), budget(30), failing, 2);
  EXPECT_TRUE(iterator.next());
  EXPECT_TRUE(iterator.next());
  EXPECT_THROW(iterator.next(), DataError);
  EXPECT_THROW(iterator.next(), DataError);
  EXPECT_EQ(iterator.batches_delivered(), 2);
}

TEST(BatchIterator, LeavesSignalsToTheMainThread) {
  std::atomic<bool> blocked = false;
  const Collate looking = [&blocked](const std::vector<Example>& examples) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    blocked = sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGINT) == 1;
    return ids_only(examples);
  };
  BatchIterator iterator(corpus_of(5), budget(1000), looking, 1);
  iterator.next();
  EXPECT_TRUE(blocked);
  sigset_t here;
  pthread_sigmask(SIG_SETMASK, nullptr, &here);
  EXPECT_EQ(sigismember(&here, SIGTERM), 0);
}

TEST(BatchIterator, EndsItsThreadWhenDestroyedInTheMiddle) {
  std::atomic<int> made = 0;
  const Collate counting = [&made](const std::vector<Example>& examples) {
    ++made;
    return ids_only(examples);
  };
  {
    BatchIterator iterator(corpus_of(200), budget(15), counting, 4);
    iterator.next();
  }
  const int after = made;
  EXPECT_LE(after, 6);  // one delivered, four prefetched, one being made
  EXPECT_EQ(made, after);
}

TEST(BatchIterator, ReportsAnEmptyCorpusAsAnEmptyEpoch) {
  BatchIterator iterator(
      std::make_shared<LengthsCorpus>(std::vector<std::pair<int64_t, int64_t>>()),
      budget(10),
      ids_only);
  EXPECT_FALSE(iterator.next());
  EXPECT_EQ(iterator.batches_in_epoch(), 0);
}

}  // namespace
}  // namespace phraseq
