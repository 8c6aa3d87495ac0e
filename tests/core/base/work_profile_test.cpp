#include "core/base/work_profile.h"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

class WorkProfile : public ::testing::Test {
 protected:
  void SetUp() override {
    start_work_profile();
    before_ = work_profile();
  }
  void TearDown() override { profiling::is_on = false; }

  /// What was measured since the test began.
  WorkTotals since(const WorkKey& key) {
    const auto now = work_profile();
    const auto found = now.find(key);
    if (found == now.end())
      return {};
    const WorkTotals old = before_.contains(key) ? before_.at(key) : WorkTotals{};
    return {found->second.calls - old.calls,
            found->second.nanoseconds - old.nanoseconds,
            found->second.multiply_adds - old.multiply_adds};
  }

 private:
  std::map<WorkKey, WorkTotals> before_;
};

TEST_F(WorkProfile, SubtractsTheTimeOfInnerSpansFromTheOuterOne) {
  const auto start = std::chrono::steady_clock::now();
  {
    const WorkSpan outer(Work::kSearch);
    const WorkSpan inner(Work::kScores);
    std::this_thread::sleep_for(milliseconds(20));
  }
  const std::chrono::nanoseconds all = std::chrono::steady_clock::now() - start;
  EXPECT_GE(since({Work::kScores, {}}).nanoseconds, 20'000'000);
  EXPECT_LE(since({Work::kScores, {}}).nanoseconds + since({Work::kSearch, {}}).nanoseconds,
            all.count());
}

TEST_F(WorkProfile, AddsTheProductsOfOneClassOfRows) {
  for (const int64_t rows : {5, 8}) const WorkSpan span(Work::kProduct, {rows, 30, 7});
  const WorkTotals found = since({Work::kProduct, {8, 30, 7}});
  EXPECT_EQ(found.calls, 2);
  EXPECT_EQ(found.multiply_adds, 13 * 30 * 7);
  EXPECT_EQ(since({Work::kProduct, {16, 30, 7}}).calls, 0);
}

TEST_F(WorkProfile, HoldsWhatOtherThreadsMeasured) {
  std::thread([] { const WorkSpan span(Work::kAttention); }).join();
  EXPECT_EQ(since({Work::kAttention, {}}).calls, 1);
}

TEST_F(WorkProfile, IsNotMeasuredWhenItIsOff) {
  profiling::is_on = false;
  { const WorkSpan span(Work::kEmbedding); }
  EXPECT_EQ(since({Work::kEmbedding, {}}).calls, 0);
}

TEST(WorkProfileText, IsATableWithTheLargestShareFirst) {
  const std::map<WorkKey, WorkTotals> profile = {
      {{Work::kAttention, {}}, {3, 250'000'000, 0}},
      {{Work::kProduct, {8, 300, 128}}, {2, 750'000'000, 1.5e9}},
  };
  EXPECT_EQ(work_profile_text(profile),
            "  share   seconds     calls  GFLOP/s  work, all threads added\n"
            " 75.0 %     0.750         2      4.0  product 128 × 300, 5-8 rows\n"
            " 25.0 %     0.250         3           attention\n"
            " 75.0 %     0.750                     all products\n"
            "100.0 %     1.000                     total\n");
}

TEST(WorkProfileText, NamesSmallClassesOfRowsByTheirNumber) {
  const auto text = [](int64_t rows) {
    return work_profile_text({{{Work::kProduct, {rows, 3, 4}}, {1, 1, 1}}});
  };
  EXPECT_THAT(text(1), HasSubstr("4 × 3, 1 rows"));
  EXPECT_THAT(text(2), HasSubstr("4 × 3, 2 rows"));
  EXPECT_THAT(text(4), HasSubstr("4 × 3, 3-4 rows"));
  EXPECT_THAT(text(4), Not(HasSubstr("attention")));
}

}  // namespace
}  // namespace phraseq
