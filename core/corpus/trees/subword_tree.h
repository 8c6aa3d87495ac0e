#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/corpus/trees/bracketed_tree.h"

namespace phraseq {

/// The constituency tree of a sentence over its subwords: what a BracketedTree becomes once the
/// number of subwords of each leaf is known (core/corpus/trees/tree_alignment.h). Leaves without a
/// subword, and brackets that are left without children, are pruned; the depths of the others stay
/// as they were.
struct PHRASEQ_API SubwordTree {
  struct Node {
    int64_t parent = -1;   ///< place in `nodes`; -1 = the root
    int64_t depth = 0;     ///< edges to the root of the unpruned tree
    int64_t first = 0;     ///< number of subwords before it
    int64_t children = 0;  ///< 0 = a leaf
  };
  /// Depth first, from left to right; empty = the sentence was not parsed.
  std::vector<Node> nodes;
  int64_t subwords = 0;

  bool is_parsed() const { return !nodes.empty(); }

  /// `leaf_subwords`: how many each leaf has, from left to right. If none has any, the sentence
  /// counts as not parsed.
  static SubwordTree build(const BracketedTree& tree, std::span<const int64_t> leaf_subwords);

  /// The tree over only the first `kept` subwords.
  SubwordTree beginning(int64_t kept) const;

  /// Depth first, one number per node: 2k for a leaf of k subwords, 2k + 1 for a node with k
  /// children. All are at least 2; nothing for a sentence that was not parsed. (Depths need not be
  /// stored: pruning removes whole nodes, never a level between two that stay.)
  std::vector<int64_t> encode() const;
  /// Throws FormatError if the numbers do not encode such a tree.
  static SubwordTree decode(std::span<const int64_t> code);

 private:
  void add(int64_t parent, int64_t children);
  int64_t end_of_leaf(size_t place) const;
};

}  // namespace phraseq
