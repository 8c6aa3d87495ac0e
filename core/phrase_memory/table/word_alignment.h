#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/base/error.h"

namespace phraseq {

/// A source word and a target word that translate each other; places are counted from 0.
struct AlignmentLink {
  int64_t source = 0;
  int64_t target = 0;
  auto operator<=>(const AlignmentLink&) const = default;
};

/// The links of a sentence pair, sorted and distinct.
using WordAlignment = std::vector<AlignmentLink>;

/// Reads Pharaoh's notation, `0-0 1-2`: the links as they are written, in that order. Throws a
/// DataError that names `place` for anything else, and for a link outside the sentences.
PHRASEQ_API std::vector<AlignmentLink> parse_links(std::string_view line,
                                                   int64_t source_words,
                                                   int64_t target_words,
                                                   const TextPlace& place);

/// The same links as an alignment: sorted and distinct.
PHRASEQ_API WordAlignment parse_alignment(std::string_view line,
                                          int64_t source_words,
                                          int64_t target_words,
                                          const TextPlace& place);

/// Joins the alignments of both directions by grow-diag-final-and (Koehn et al. 2003; Moses): the
/// links of both; then, as long as there are any, those of either that neighbor a link already
/// taken, possibly diagonally, and align a word that has none; finally, those of either between two
/// words without any.
PHRASEQ_API WordAlignment symmetrize(const WordAlignment& forward, const WordAlignment& backward);

}  // namespace phraseq
