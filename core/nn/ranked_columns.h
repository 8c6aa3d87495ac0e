#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace phraseq {

struct RankedColumn {
  double log_probability = 0;
  int64_t column = 0;
};

/// Whether `a` comes before `b`: the greater log-probability, then the lower column.
inline bool ranks_before(const RankedColumn& a, const RankedColumn& b) {
  return a.log_probability > b.log_probability ||
         (a.log_probability == b.log_probability && a.column < b.column);
}

/// The order of columns, or of a search's candidates, for the algorithms that take one.
inline constexpr auto best_first = [](const auto& a, const auto& b) { return ranks_before(a, b); };

/// Leaves the `count` best, or all if there are fewer, best first.
template <class Ranked>
void keep_best(std::vector<Ranked>& all, int64_t count) {
  const size_t kept = std::min(all.size(), static_cast<size_t>(count));
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(all.begin(), middle, all.end(), best_first);
  all.resize(kept);
}

}  // namespace phraseq
