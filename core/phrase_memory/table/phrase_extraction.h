#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/table/word_alignment.h"

namespace phraseq {

/// A source phrase and its translation in one sentence pair; positions are word indices, starting
/// at 0.
struct PhrasePair {
  int64_t source_begin = 0;
  int64_t source_length = 0;
  int64_t target_begin = 0;
  int64_t target_length = 0;
  bool operator==(const PhrasePair&) const = default;
};

/// The phrase pairs that are consistent with an alignment (Koehn et al. 2003): no word of either is
/// aligned to a word outside the other, and at least one link is inside. Both sides have 1 to
/// `longest` words.
///
/// A source phrase has one translation here: the target phrase begins and ends with aligned words.
/// (Moses also gives each extension over unaligned words a share of the counts; no phrase next to
/// an unaligned word would then have a single, certain translation.) Sorted by place, then by
/// length.
PHRASEQ_API std::vector<PhrasePair> consistent_pairs(const WordAlignment& alignment,
                                                     int64_t source_words,
                                                     int64_t longest);

}  // namespace phraseq
