#include "core/translate/workers.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "tests/core/base/few_threads.h"

namespace phraseq {
namespace {

TEST(RunJobs, DoesEveryJobOnce) {
  for (const int64_t workers : {1, 2, 3, 50}) {
    std::vector<std::atomic<int>> done(17);
    run_jobs(17, {workers, 1}, [&](int64_t number, int64_t worker) {
      EXPECT_LT(worker, workers);
      ++done[static_cast<size_t>(number)];
    });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(RunJobs, GivesOneWorkerTheCallingThread) {
  const auto caller = std::this_thread::get_id();
  run_jobs(3, {1, 1}, [&](int64_t, int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(RunJobs, SetsTheThreadsOfEachWorker) {
  run_jobs(4, {2, 1}, [](int64_t, int64_t) { EXPECT_EQ(at::get_num_threads(), 1); });
}

TEST(RunJobs, ThrowsTheFirstFailureAndTakesNoMoreJobs) {
  constexpr int kJobs = 20'000;  // each takes a millisecond until the failure is noticed
  for (const int64_t workers : {1, 2}) {
    std::atomic<int> done = 0;
    EXPECT_THROW(
        run_jobs(kJobs,
                 {workers, 1},
                 [&](int64_t number, int64_t) {
                   ++done;
                   if (number == 3)
                     throw std::runtime_error("job 3");
                   std::this_thread::sleep_for(std::chrono::milliseconds(number > 3 ? 1 : 0));
                 }),
        std::runtime_error);
    EXPECT_LE(done, workers == 1 ? 4 : kJobs / 2);
  }
}

TEST(RunJobs, DoesEveryJobWithFewerThreadsThanWorkers) {
  constexpr int64_t kWorkers = 100;
  std::vector<std::atomic<int>> done(kWorkers), used(kWorkers);
  {
    const FewThreads limit;
    run_jobs(kWorkers, {kWorkers, 1}, [&](int64_t number, int64_t worker) {
      ++done[static_cast<size_t>(number)];
      ++used[static_cast<size_t>(worker)];
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
  }
  for (const auto& times : done) EXPECT_EQ(times, 1);
  EXPECT_EQ(used.back(), 0) << "the limit had no effect";
}

TEST(RunJobs, DoesNothingForNoJobs) {
  run_jobs(0, {2, 1}, [](int64_t, int64_t) { FAIL(); });
}

}  // namespace
}  // namespace phraseq
