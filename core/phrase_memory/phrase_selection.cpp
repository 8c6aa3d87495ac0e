#include "core/phrase_memory/phrase_selection.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace phraseq {
namespace {

using Occurrences = std::vector<PhraseOccurrence>;

/// By place, at one place the shorter first.
bool is_left_of(const PhraseOccurrence& one, const PhraseOccurrence& other) {
  return std::tie(one.begin, one.length) < std::tie(other.begin, other.length);
}

Occurrences resolve_greedily(Occurrences occurrences) {
  std::sort(occurrences.begin(), occurrences.end(), [](const auto& one, const auto& other) {
    return std::tie(other.length, one.begin) < std::tie(one.length, other.begin);
  });
  int64_t places = 0;
  for (const PhraseOccurrence& occurrence : occurrences)
    places = std::max(places, occurrence.end());
  std::vector<bool> is_taken(static_cast<size_t>(places), false);
  Occurrences taken;
  for (const PhraseOccurrence& occurrence : occurrences) {
    const auto begin = is_taken.begin() + occurrence.begin;
    if (std::find(begin, begin + occurrence.length, true) != begin + occurrence.length)
      continue;
    std::fill_n(begin, occurrence.length, true);
    taken.push_back(occurrence);
  }
  return taken;
}

/// Sorted occurrences; whoever overlaps `one` begins between its end and a longest phrase before.
Occurrences resolve_literally(const Occurrences& occurrences) {
  int64_t longest = 0;
  for (const PhraseOccurrence& occurrence : occurrences)
    longest = std::max(longest, occurrence.length);
  Occurrences left;
  for (const PhraseOccurrence& one : occurrences) {
    const auto loses_to = [&](const PhraseOccurrence& other) {
      return one.overlaps(other) &&
             std::tie(one.length, other.begin) < std::tie(other.length, one.begin);
    };
    const auto begin = std::lower_bound(
        occurrences.begin(), occurrences.end(), PhraseOccurrence{one.begin - longest}, is_left_of);
    const auto end = std::lower_bound(
        occurrences.begin(), occurrences.end(), PhraseOccurrence{one.end()}, is_left_of);
    if (std::none_of(begin, end, loses_to))
      left.push_back(one);
  }
  return left;
}

/// The best selection of occurrences that begin at a place or further right.
struct Best {
  int64_t covered = 0;
  int64_t chosen = 0;                       ///< how many occurrences
  const PhraseOccurrence* first = nullptr;  ///< null = this place is passed over
  bool is_better_than(const Best& other) const {
    return std::tie(covered, other.chosen) > std::tie(other.covered, chosen);
  }
};

/// Weighted interval scheduling of sorted occurrences, over places (from the right) and occurrences
/// still allowed; ties go to the one that begins here, the longer first. Each takes `cost` of
/// `limit`: 0 of 1 is no limit.
class PhraseSchedule {
 public:
  PhraseSchedule(const Occurrences& occurrences, int64_t limit, int64_t cost)
      : limit_(limit), cost_(cost) {
    for (const PhraseOccurrence& occurrence : occurrences)
      places_ = std::max(places_, occurrence.end());
    table_.resize(static_cast<size_t>((places_ + 1) * (limit + 1)));
    auto end = occurrences.rbegin();
    for (int64_t place = places_ - 1; place >= 0; --place) {
      const auto begin = end;
      while (end != occurrences.rend() && end->begin == place) ++end;
      for (int64_t allowed = 1; allowed <= limit; ++allowed)
        best(place, allowed) = choose(place, allowed, {begin, end});
    }
  }

  Occurrences chosen() {
    Occurrences chosen;
    for (int64_t place = 0, allowed = limit_; place < places_;) {
      const PhraseOccurrence* first = best(place, allowed).first;
      if (first == nullptr) {
        ++place;
        continue;
      }
      chosen.push_back(*first);
      place = first->end();
      allowed -= cost_;
    }
    return chosen;
  }

 private:
  /// Occurrences, from the right.
  struct Range {
    Occurrences::const_reverse_iterator first, last;
    auto begin() const { return first; }
    auto end() const { return last; }
  };

  Best& best(int64_t place, int64_t allowed) {
    return table_[static_cast<size_t>(place * (limit_ + 1) + allowed)];
  }

  /// One of the occurrences `here`, which begin at the place, or none.
  Best choose(int64_t place, int64_t allowed, const Range& here) {
    Best winner;
    for (const PhraseOccurrence& occurrence : here) {
      const Best& rest = best(occurrence.end(), allowed - cost_);
      const Best candidate{rest.covered + occurrence.length, rest.chosen + 1, &occurrence};
      if (candidate.is_better_than(winner))
        winner = candidate;
    }
    Best passed = best(place + 1, allowed);
    passed.first = nullptr;
    return passed.is_better_than(winner) ? passed : winner;
  }

  int64_t limit_, cost_, places_ = 0;
  std::vector<Best> table_;  ///< [places + 1, limit + 1]
};

Occurrences resolve_overlaps(const Occurrences& occurrences,
                             const PhraseSelectionOptions& options) {
  switch (options.overlap) {
    case PhraseOverlap::kGreedy:
      return resolve_greedily(occurrences);
    case PhraseOverlap::kLiteral:
      return resolve_literally(occurrences);
    case PhraseOverlap::kDynamic:
      break;
  }
  if (options.repeat == PhraseRepeat::kShared)
    return PhraseSchedule(occurrences, 1, 0).chosen();
  const auto all = static_cast<int64_t>(occurrences.size());
  return PhraseSchedule(occurrences, std::min(all, options.slots), 1).chosen();
}

/// Slots of sorted, disjoint occurrences, in source order.
std::vector<PhraseSlot> make_slots(const Occurrences& occurrences, PhraseRepeat repeat) {
  std::vector<PhraseSlot> slots;
  std::unordered_map<int64_t, size_t> slot_of;
  for (const PhraseOccurrence& occurrence : occurrences) {
    size_t slot = slots.size();
    if (repeat == PhraseRepeat::kShared)
      slot = slot_of.emplace(occurrence.phrase, slot).first->second;
    if (slot == slots.size())
      slots.push_back({occurrence.phrase, {}});
    slots[slot].occurrences.push_back(occurrence);
  }
  return slots;
}

/// The `count` slots that cover the most words, in source order.
std::vector<PhraseSlot> largest(std::vector<PhraseSlot> slots, size_t count) {
  if (slots.size() <= count)
    return slots;
  const auto begins_left = [](const PhraseSlot& one, const PhraseSlot& other) {
    return one.occurrences.front().begin < other.occurrences.front().begin;
  };
  std::stable_sort(slots.begin(), slots.end(), [](const PhraseSlot& one, const PhraseSlot& other) {
    return one.covered() > other.covered();
  });
  slots.resize(count);
  std::sort(slots.begin(), slots.end(), begins_left);
  return slots;
}

}  // namespace

int64_t PhraseSlot::covered() const {
  return std::accumulate(
      occurrences.begin(), occurrences.end(), int64_t{0}, [](int64_t sum, const auto& occurrence) {
        return sum + occurrence.length;
      });
}

std::vector<int64_t> PhraseSlot::places() const {
  std::vector<int64_t> places;
  for (const PhraseOccurrence& occurrence : occurrences) {
    for (int64_t place = occurrence.begin; place < occurrence.end(); ++place)
      places.push_back(place);
  }
  return places;
}

std::vector<PhraseSlot> select_phrases(std::vector<PhraseOccurrence> occurrences,
                                       const PhraseSelectionOptions& options) {
  std::sort(occurrences.begin(), occurrences.end(), is_left_of);
  Occurrences disjoint = resolve_overlaps(occurrences, options);
  std::sort(disjoint.begin(), disjoint.end(), is_left_of);
  return largest(make_slots(disjoint, options.repeat), static_cast<size_t>(options.slots));
}

}  // namespace phraseq
