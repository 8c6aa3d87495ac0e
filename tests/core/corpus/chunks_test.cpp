#include "core/corpus/chunks.h"

#include <chrono>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/core/base/few_threads.h"

namespace phraseq {
namespace {

/// Gives "1", "2" … up to `last`, then an empty chunk.
auto numbers_up_to(int last) {
  return
      [last, next = 0]() mutable { return next == last ? std::string() : std::to_string(++next); };
}

TEST(OverChunks, UsesAllResultsInTheOrderOfTheText) {
  for (const int64_t workers : {1, 3, 50}) {
    std::string used;
    auto next = numbers_up_to(7);
    over_chunks(
        workers,
        [&] { return next(); },
        [](const std::string& chunk) { return chunk + ","; },
        [&](const std::string& result) { used += result; });
    EXPECT_EQ(used, "1,2,3,4,5,6,7,") << workers;
  }
}

TEST(OverChunks, WorksWithFewerThreadsThanWorkers) {
  constexpr int kChunks = 100;
  int used = 0;
  std::set<std::thread::id> threads;
  const FewThreads limit;
  auto next = numbers_up_to(kChunks);
  over_chunks(
      kChunks,
      [&] { return next(); },
      [](const std::string& /*chunk*/) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return std::this_thread::get_id();
      },
      [&](std::thread::id thread) {
        ++used;
        threads.insert(thread);
      });
  EXPECT_EQ(used, kChunks);
  EXPECT_LT(threads.size(), static_cast<size_t>(kChunks)) << "the limit had no effect";
}

}  // namespace
}  // namespace phraseq
