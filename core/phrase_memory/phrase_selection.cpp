#include "core/phrase_memory/phrase_selection.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/phrase_memory/phrase_schedule.h"

namespace phraseq {
namespace {

using Occurrences = std::vector<PhraseOccurrence>;

/// Orders by place, and the shorter first at the same place.
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

/// Sorted occurrences; those that overlap `one` begin between its end and a longest phrase before.
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
  // A shared slot tags any number of occurrences, so that none is spared for the limit of slots.
  return options.repeat == PhraseRepeat::kShared ? schedule_phrases(occurrences)
                                                 : schedule_phrases(occurrences, options.slots);
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
