#include "core/phrase_memory/span_assignment.h"

#include <algorithm>
#include <numeric>

namespace phraseq {
namespace {

/// The first occurrence of `phrase` in `target` with no word taken; -1 when there is none.
int64_t leftmost_free(const std::vector<std::string>& phrase,
                      std::span<const std::string> target,
                      const std::vector<bool>& taken) {
  for (size_t begin = 0; begin + phrase.size() <= target.size(); ++begin) {
    size_t at = 0;
    while (at < phrase.size() && !taken[begin + at] && target[begin + at] == phrase[at]) ++at;
    if (at == phrase.size())
      return static_cast<int64_t>(begin);
  }
  return -1;
}

}  // namespace

std::vector<TargetSpan> assign_spans(std::span<const std::vector<std::string>> phrases,
                                     std::span<const std::string> target) {
  std::vector<size_t> order(phrases.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t one, size_t other) {
    return phrases[one].size() > phrases[other].size();
  });
  std::vector<TargetSpan> spans;
  std::vector<bool> taken(target.size(), false);
  for (const size_t slot : order) {
    const int64_t begin = leftmost_free(phrases[slot], target, taken);
    if (begin < 0 || phrases[slot].empty())
      continue;
    const auto length = static_cast<int64_t>(phrases[slot].size());
    std::fill_n(taken.begin() + begin, length, true);
    spans.push_back({static_cast<int64_t>(slot), begin, length});
  }
  std::sort(spans.begin(), spans.end(), [](const TargetSpan& one, const TargetSpan& other) {
    return one.begin < other.begin;
  });
  return spans;
}

}  // namespace phraseq
