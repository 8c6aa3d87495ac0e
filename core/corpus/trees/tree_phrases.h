#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/corpus/trees/subword_tree.h"

namespace phraseq {

/// How `tree_phrases` treats what the published algorithm leaves open or does differently.
struct TreePhraseOptions {
  /// A phrase contains at most `max_tokens` subwords (except for a long leaf). If false, as in the
  /// published algorithm, it contains up to 2 max_tokens - 1: what is added to a seed is bounded,
  /// not the sum.
  bool bounded = false;
  /// A leaf of `max_tokens` subwords or more that is not part of a phrase is split into pieces of
  /// `max_tokens` from the left; the last one may be shorter. If false, it is one phrase.
  bool split_long_leaves = false;
};

/// The phrases of a sentence after its parse tree (Xu et al. 2020, Algorithm 1): their lengths in
/// subwords, from left to right. They cover all subwords of the tree; special tokens are left
/// to the caller. Empty for a sentence that was not parsed.
///
/// From the right, the largest constituent on the tree's right edge of fewer than `max_tokens`
/// subwords is the seed of a phrase; the nodes of its depth to the left of it are added while they
/// fit. Both leave the tree, and so on. Throws UsageError if `max_tokens` is less than 1.
PHRASEQ_API std::vector<int64_t> tree_phrases(const SubwordTree& tree,
                                              int64_t max_tokens,
                                              const TreePhraseOptions& options);

}  // namespace phraseq
