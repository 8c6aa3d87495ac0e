#include "core/phrase_memory/phrase_schedule.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/random.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Occurrences = std::vector<PhraseOccurrence>;

int64_t covered_by(const Occurrences& occurrences) {
  int64_t words = 0;
  for (const PhraseOccurrence& occurrence : occurrences) words += occurrence.length;
  return words;
}

bool are_disjoint(const Occurrences& sorted) {
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].begin < sorted[i - 1].end())
      return false;
  }
  return true;
}

/// Tries every subset for the most words and, among those, the fewest occurrences.
std::pair<int64_t, int64_t> best_of_all_subsets(const Occurrences& sorted, int64_t limit) {
  std::pair<int64_t, int64_t> best = {0, 0};  // words, and the negative number of occurrences
  for (size_t subset = 0; subset < size_t{1} << sorted.size(); ++subset) {
    Occurrences chosen;
    for (size_t i = 0; i < sorted.size(); ++i) {
      if ((subset >> i & 1) != 0)
        chosen.push_back(sorted[i]);
    }
    const auto count = static_cast<int64_t>(chosen.size());
    if (count <= limit && are_disjoint(chosen))
      best = std::max(best, {covered_by(chosen), -count});
  }
  return best;
}

Occurrences random_occurrences(int64_t seed) {
  Random random(static_cast<uint64_t>(seed));
  Occurrences occurrences;
  for (int64_t phrase = 0; phrase < 9; ++phrase)
    occurrences.push_back({static_cast<int64_t>(random.below(11)),
                           1 + static_cast<int64_t>(random.below(4)),
                           phrase});
  std::sort(occurrences.begin(), occurrences.end(), [](const auto& one, const auto& other) {
    return std::tie(one.begin, one.length) < std::tie(other.begin, other.length);
  });
  return occurrences;
}

TEST(PhraseSchedule, CoversTheMostWordsOfAllSubsetsWithTheFewestOccurrences) {
  for (int64_t seed = 1; seed <= 30; ++seed) {
    const Occurrences occurrences = random_occurrences(seed);
    for (int64_t limit = 0; limit <= 9; ++limit) {
      const Occurrences chosen = schedule_phrases(occurrences, limit);
      EXPECT_TRUE(are_disjoint(chosen)) << seed;
      EXPECT_EQ(std::pair(covered_by(chosen), -static_cast<int64_t>(chosen.size())),
                best_of_all_subsets(occurrences, limit))
          << "seed " << seed << ", limit " << limit;
    }
    EXPECT_EQ(schedule_phrases(occurrences), schedule_phrases(occurrences, 9)) << seed;
  }
}

// words   0 1 2 3 4 5
// A       + + +
// B           + + + +      covers most alone
// C             + + +      covers most together with A
TEST(PhraseSchedule, HasTheLimitInsideTheProgram) {
  const PhraseOccurrence a{0, 3, 0}, b{2, 4, 1}, c{3, 3, 2};
  EXPECT_THAT(schedule_phrases({a, b, c}, 0), IsEmpty());
  EXPECT_THAT(schedule_phrases({a, b, c}, 1), ElementsAre(b));
  EXPECT_THAT(schedule_phrases({a, b, c}, 2), ElementsAre(a, c));
  EXPECT_THAT(schedule_phrases({a, b, c}), ElementsAre(a, c));
}

TEST(PhraseSchedule, SelectsNothingFromNothing) {
  EXPECT_THAT(schedule_phrases({}), IsEmpty());
  EXPECT_THAT(schedule_phrases({}, 3), IsEmpty());
}

TEST(PhraseSchedule, OfAThousandWordsMeetsEveryLimit) {
  Occurrences occurrences;  // a phrase of one word and one of two begin at each word
  for (int64_t begin = 0; begin < 1000; ++begin) {
    occurrences.push_back({begin, 1, begin});
    occurrences.push_back({begin, 2, begin});
  }
  EXPECT_EQ(covered_by(schedule_phrases(occurrences, 300)), 600);
  EXPECT_EQ(covered_by(schedule_phrases(occurrences, 999)), 1001);
  EXPECT_EQ(schedule_phrases(occurrences, 999).size(), 501U);
  EXPECT_EQ(schedule_phrases(occurrences, 1000), schedule_phrases(occurrences, 999));
}

}  // namespace
}  // namespace phraseq
