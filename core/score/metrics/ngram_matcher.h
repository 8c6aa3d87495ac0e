#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq::score {

/// How often n-grams of one order occur in a hypothesis, and how many of them are matched: each
/// n-gram at most as often as in the reference in which it is most frequent.
struct NgramCounts {
  int64_t hypothesis = 0;
  int64_t reference = 0;  ///< of all references together
  int64_t matches = 0;
};

/// Counts of the orders 1 .. max_order (element 0 is order 1).
///
/// A sentence is a sequence of symbols below 2^32 - 1: numbers of words, or code points. The counts
/// are exact: every n-gram gets its own number, assigned to the pair of its last symbol and the
/// number of the n-gram before it, so no information is lost by hashing.
PHRASEQ_API std::vector<NgramCounts> match_ngrams(std::span<const uint32_t> hypothesis,
                                                  std::span<const std::vector<uint32_t>> references,
                                                  int max_order);

/// Numbers words in the order in which they are first seen. The words must outlive it.
class PHRASEQ_API WordNumbers {
 public:
  std::vector<uint32_t> number(const std::vector<std::string_view>& words);

 private:
  size_t find_slot(std::string_view word) const;
  void make_room(size_t more);

  std::vector<std::string_view> words_;  ///< by number
  std::vector<uint32_t> slots_;          ///< number + 1, 0 = free; at most half of them are taken
};

}  // namespace phraseq::score
