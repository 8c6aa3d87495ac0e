#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/base/error.h"

namespace phraseq {

/// A constituency tree as a treebank or a parser writes it (docs/formats/trees.md), without labels,
/// which are not used.
///
/// A bracket with exactly one word is a leaf; any other bare word is a leaf one level below its
/// bracket (Xu et al. 2020 draw trees of the first kind; parsers without parts of speech write the
/// second).
struct PHRASEQ_API BracketedTree {
  struct Node {
    int64_t parent = -1;  ///< place in `nodes`; -1 = the root
    bool is_leaf = false;
    std::string word;    ///< of a leaf, as the sentence spells it; empty for an empty category
    int64_t column = 0;  ///< in the line, from 1: of the word, or of the opening bracket
  };
  /// Depth first, from left to right; empty = the sentence was not parsed.
  std::vector<Node> nodes;

  bool is_parsed() const { return !nodes.empty(); }
  /// Places of the leaves in `nodes`, from left to right.
  std::vector<size_t> leaves() const;
};

/// Reads one line: `(S (NP (DT the) (NN cat)) (VP (VBD sat)))`.
///
/// Whitespace is the space and the tab. Labels are ignored, as is an outer bracket without one.
/// `-LRB-`, `-RRB-`, `-LSB-`, `-RSB-`, `-LCB-` and `-RCB-` are the brackets that they stand for; a
/// word below `-NONE-` (an empty category) has no characters. An empty line, `()` or `(())` is a
/// sentence that was not parsed. Throws a FormatError that names `place` and the column.
PHRASEQ_API BracketedTree read_bracketed_tree(std::string_view line, const TextPlace& place);

}  // namespace phraseq
