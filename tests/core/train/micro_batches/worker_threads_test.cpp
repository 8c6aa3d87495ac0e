#include "core/train/micro_batches/worker_threads.h"

#include <barrier>
#include <set>
#include <stdexcept>
#include <thread>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "core/train/micro_batches/micro_batch_workers.h"

namespace phraseq {
namespace {

TEST(WorkerThreads, WorkAtTheSameTimeAndStayTheSame) {
  WorkerThreads threads(3, 2);
  std::vector<std::thread::id> first(3), second(3);
  for (auto* ids : {&first, &second}) {
    std::barrier all_are_here(3);  // blocks forever if the jobs run one after another
    const auto failures = threads.run(3, [&](int64_t number) {
      all_are_here.arrive_and_wait();
      (*ids)[static_cast<size_t>(number)] = std::this_thread::get_id();
      EXPECT_EQ(at::get_num_threads(), 2);
    });
    EXPECT_EQ(failures, std::vector<std::exception_ptr>(3));
  }
  EXPECT_EQ(first, second);
  EXPECT_EQ(std::set<std::thread::id>(first.begin(), first.end()).size(), 3U);
}

TEST(WorkerThreads, TakeFewerJobsThanThereAreThreads) {
  WorkerThreads threads(3, 1);
  for (int64_t count = 1; count <= 3; ++count) {
    std::vector<int> calls(3);
    threads.run(count, [&](int64_t number) { ++calls[static_cast<size_t>(number)]; });
    for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(calls[static_cast<size_t>(i)], i < count ? 1 : 0);
  }
}

TEST(WorkerThreads, ReturnWhatEachJobThrew) {
  for (const int64_t count : {1, 2}) {
    WorkerThreads threads(count, 1);
    const auto failures = threads.run(count, [&](int64_t number) {
      if (number == count - 1)
        throw std::runtime_error("no memory");
    });
    ASSERT_EQ(static_cast<int64_t>(failures.size()), count);
    EXPECT_THROW(std::rethrow_exception(failures.back()), std::runtime_error);
    EXPECT_EQ(failures.front() == nullptr, count > 1);
  }
}

TEST(WorkerThreads, AreTheCallingThreadIfThereIsOnlyOne) {
  WorkerThreads threads(1, 7);
  const int operators = at::get_num_threads();
  threads.run(1, [&, caller = std::this_thread::get_id()](int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(at::get_num_threads(), operators);
  });
}

TEST(WorkersForBatch, GiveEveryMicroBatchEnoughTokensAndUseAllThreads) {
  const auto workers = [](int64_t threads, int64_t tokens) {
    const WorkerSettings settings = workers_for_batch(threads, tokens);
    return std::pair(settings.workers, settings.threads);
  };
  EXPECT_EQ(workers(2, 4000), std::pair(int64_t{2}, int64_t{1}));
  EXPECT_EQ(workers(16, 4096), std::pair(int64_t{8}, int64_t{2}));
  EXPECT_EQ(workers(2, 400), std::pair(int64_t{1}, int64_t{2}));
  EXPECT_EQ(workers(1, 4000), std::pair(int64_t{1}, int64_t{1}));
  EXPECT_EQ(workers(4, 0), std::pair(int64_t{4}, int64_t{1}));
}

}  // namespace
}  // namespace phraseq
