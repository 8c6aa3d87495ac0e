// A bracketed parse tree, which must be restored from its own numbers and divided into phrases that
// cover it.

#include <numeric>

#include "core/corpus/trees/bracketed_tree.h"
#include "core/corpus/trees/subword_tree.h"
#include "core/corpus/trees/tree_phrases.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace phraseq;

void require(bool holds) {
  if (!holds)
    throw std::logic_error("a tree, its numbers or its phrases contradict each other");
}

void check_phrases(const SubwordTree& tree, int64_t max_tokens) {
  for (const bool bounded : {false, true}) {
    for (const bool split : {false, true}) {
      const auto phrases = tree_phrases(tree, max_tokens, {bounded, split});
      require(std::accumulate(phrases.begin(), phrases.end(), int64_t{0}) == tree.subwords);
      for (const int64_t phrase : phrases)
        require(phrase > 0 && (!(bounded && split) || phrase <= max_tokens));
    }
  }
}

void check_nodes(const BracketedTree& tree) {
  for (const size_t leaf : tree.leaves()) require(tree.nodes.at(leaf).is_leaf);
  for (size_t i = 1; i < tree.nodes.size(); ++i)
    require(tree.nodes[i].parent >= 0 && tree.nodes[i].parent < static_cast<int64_t>(i));
}

/// Leaves of zero to three subwords.
SubwordTree subword_tree(const BracketedTree& tree) {
  std::vector<int64_t> leaf_subwords;
  for (const size_t leaf : tree.leaves())
    leaf_subwords.push_back(static_cast<int64_t>(tree.nodes[leaf].word.size() % 4));
  return SubwordTree::build(tree, leaf_subwords);
}

void check_numbers(const SubwordTree& tree) {
  const auto code = tree.encode();
  const SubwordTree again = SubwordTree::decode(code);
  require(again.encode() == code && again.subwords == tree.subwords);
}

}  // namespace

PHRASEQ_FUZZ_TARGET(trees) {
  return fuzz::check([&] {
    const BracketedTree read = read_bracketed_tree(fuzz::text_of(data, size), {"trees", 1, 1});
    check_nodes(read);
    const SubwordTree tree = subword_tree(read);
    check_numbers(tree);
    check_phrases(tree, 1 + static_cast<int64_t>(size % 8));
    const int64_t kept = static_cast<int64_t>(size) / 3;
    const SubwordTree beginning = tree.beginning(kept);
    require(beginning.subwords <= kept);
    check_numbers(beginning);
    check_phrases(beginning, 3);
  });
}
