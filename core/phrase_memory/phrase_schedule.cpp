#include "core/phrase_memory/phrase_schedule.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace phraseq {
namespace {

using PhraseOccurrences = std::vector<PhraseOccurrence>;

/// The best selection of occurrences that begin at a place or further right.
struct Best {
  int64_t covered = 0;
  int64_t chosen = 0;  ///< how many occurrences
  bool is_better_than(const Best& other) const {
    return std::tie(covered, other.chosen) > std::tie(other.covered, chosen);
  }
};

/// The table of weighted interval scheduling (Kleinberg and Tardos 2005, ch. 6.1), with a limit of
/// occurrences as its second dimension:
///
///   best(allowed, place) = max(best(allowed, place + 1),
///                              max over occurrences o at the place of
///                                length(o) + best(allowed - cost, end(o)))
///
/// cost is 1, or 0 without a limit. Of the values, only the rows of `allowed` and `allowed - 1` are
/// kept; the way back needs the first occurrence of each.
class PhraseSchedule {
 public:
  static PhraseOccurrences limited(const PhraseOccurrences& occurrences, int64_t limit) {
    PhraseSchedule schedule(occurrences, limit);
    for (int64_t allowed = 1; allowed <= limit; ++allowed) {
      schedule.fewer_ = schedule.best_;
      schedule.fill(allowed, schedule.fewer_);
    }
    return schedule.chosen(limit, /*cost=*/1);
  }

  static PhraseOccurrences unlimited(const PhraseOccurrences& occurrences) {
    PhraseSchedule schedule(occurrences, 1);
    schedule.fill(1, schedule.best_);
    return schedule.chosen(1, /*cost=*/0);
  }

 private:
  static constexpr int32_t kPassedOver = -1;

  PhraseSchedule(const PhraseOccurrences& occurrences, int64_t most_allowed)
      : occurrences_(occurrences) {
    for (const PhraseOccurrence& occurrence : occurrences)
      places_ = std::max(places_, occurrence.end());
    best_.resize(static_cast<size_t>(places_ + 1));
    first_.resize(static_cast<size_t>((most_allowed + 1) * (places_ + 1)), kPassedOver);
  }

  int32_t& first(int64_t allowed, int64_t place) {
    return first_[static_cast<size_t>(allowed * (places_ + 1) + place)];
  }

  /// best_ and the row of first_ for `allowed`; `rest`: the best after an occurrence that is
  /// chosen, which may be best_ itself, filled from the right.
  void fill(int64_t allowed, const std::vector<Best>& rest) {
    auto next = static_cast<int32_t>(occurrences_.size()) - 1;
    for (int64_t place = places_ - 1; place >= 0; --place) {
      Best winner;
      for (; next >= 0 && occurrences_[static_cast<size_t>(next)].begin == place; --next) {
        const PhraseOccurrence& here = occurrences_[static_cast<size_t>(next)];
        const Best& after = rest[static_cast<size_t>(here.end())];
        const Best candidate{after.covered + here.length, after.chosen + 1};
        if (!candidate.is_better_than(winner))
          continue;
        winner = candidate;
        first(allowed, place) = next;
      }
      const Best& passed = best_[static_cast<size_t>(place + 1)];
      const bool passes = passed.is_better_than(winner);
      if (passes)
        first(allowed, place) = kPassedOver;
      best_[static_cast<size_t>(place)] = passes ? passed : winner;
    }
  }

  PhraseOccurrences chosen(int64_t allowed, int64_t cost) {
    PhraseOccurrences chosen;
    for (int64_t place = 0; place < places_;) {
      const int32_t found = first(allowed, place);
      if (found == kPassedOver) {
        ++place;
        continue;
      }
      chosen.push_back(occurrences_[static_cast<size_t>(found)]);
      place = chosen.back().end();
      allowed -= cost;
    }
    return chosen;
  }

  const PhraseOccurrences& occurrences_;  ///< sorted by place, then by length
  int64_t places_ = 0;
  std::vector<Best> best_;      ///< [places + 1]
  std::vector<Best> fewer_;     ///< the same with one fewer allowed
  std::vector<int32_t> first_;  ///< [allowed + 1, places + 1], indices of occurrences
};

/// The most of the sorted occurrences that overlap one another nowhere.
int64_t most_disjoint(const PhraseOccurrences& occurrences) {
  int64_t count = 0, end = 0;  // the earliest end of `count` disjoint ones
  for (const PhraseOccurrence& occurrence : occurrences) {
    const bool follows = occurrence.begin >= end;
    count += follows ? 1 : 0;
    end = follows ? occurrence.end() : std::min(end, occurrence.end());
  }
  return count;
}

}  // namespace

std::vector<PhraseOccurrence> schedule_phrases(const std::vector<PhraseOccurrence>& sorted,
                                               std::optional<int64_t> limit) {
  // A limit that nothing reaches is none, which takes less time and memory.
  if (!limit || *limit >= most_disjoint(sorted))
    return PhraseSchedule::unlimited(sorted);
  return PhraseSchedule::limited(sorted, *limit);
}

}  // namespace phraseq
