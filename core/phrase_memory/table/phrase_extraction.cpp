#include "core/phrase_memory/table/phrase_extraction.h"

#include <algorithm>

namespace phraseq {
namespace {

/// The first and the last target word aligned to a source word; first > last when there is none.
struct TargetRange {
  int64_t first = 1;
  int64_t last = 0;

  bool is_empty() const { return first > last; }
  void include(const TargetRange& other) {
    if (other.is_empty())
      return;
    *this =
        is_empty() ? other : TargetRange{std::min(first, other.first), std::max(last, other.last)};
  }
};

bool has_link_from_outside(const WordAlignment& alignment,
                           int64_t begin,
                           int64_t end,
                           const TargetRange& target) {
  return std::any_of(alignment.begin(), alignment.end(), [&](const AlignmentLink& link) {
    return link.target >= target.first && link.target <= target.last &&
           (link.source < begin || link.source >= end);
  });
}

}  // namespace

std::vector<PhrasePair> consistent_pairs(const WordAlignment& alignment,
                                         int64_t source_words,
                                         int64_t longest) {
  std::vector<TargetRange> ranges(static_cast<size_t>(source_words));
  for (const AlignmentLink& link : alignment)
    ranges[static_cast<size_t>(link.source)].include({link.target, link.target});
  std::vector<PhrasePair> pairs;
  for (int64_t begin = 0; begin < source_words; ++begin) {
    TargetRange target;
    for (int64_t end = begin + 1; end <= std::min(source_words, begin + longest); ++end) {
      target.include(ranges[static_cast<size_t>(end - 1)]);
      const int64_t length = target.last - target.first + 1;
      if (length > longest)
        break;
      if (length > 0 && !has_link_from_outside(alignment, begin, end, target))
        pairs.push_back({begin, end - begin, target.first, length});
    }
  }
  return pairs;
}

}  // namespace phraseq
