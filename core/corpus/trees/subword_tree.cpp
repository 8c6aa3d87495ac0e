#include "core/corpus/trees/subword_tree.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

/// The number of subwords under every node of a tree; those of the leaves are given.
std::vector<int64_t> count_subwords(const BracketedTree& tree,
                                    std::span<const int64_t> leaf_subwords) {
  std::vector<int64_t> counts(tree.nodes.size(), 0);
  size_t leaf = leaf_subwords.size();
  for (size_t i = tree.nodes.size(); i-- > 0;) {  // children come after their parents
    if (tree.nodes[i].is_leaf)
      counts[i] = leaf_subwords[--leaf];
    if (const int64_t parent = tree.nodes[i].parent; parent >= 0)
      counts[static_cast<size_t>(parent)] += counts[i];
  }
  return counts;
}

[[noreturn]] void reject_code(const std::string& problem) {
  throw FormatError(
      fmt::format("a stored tree {}; expected one number per node in depth-first order, 2k for a "
                  "leaf of k subwords, 2k + 1 for a node with k children",
                  problem),
      "The file is damaged, or was not written by phraseq preprocess --trees.");
}

}  // namespace

void SubwordTree::add(int64_t parent, int64_t children) {
  const int64_t depth = parent < 0 ? 0 : nodes[static_cast<size_t>(parent)].depth + 1;
  nodes.push_back({parent, depth, subwords, children});
}

SubwordTree SubwordTree::build(const BracketedTree& tree, std::span<const int64_t> leaf_subwords) {
  const std::vector<int64_t> counts = count_subwords(tree, leaf_subwords);
  std::vector<int64_t> places(tree.nodes.size(), -1);  // of the nodes that stay
  SubwordTree built;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    if (counts[i] == 0)
      continue;
    int64_t parent = tree.nodes[i].parent;
    if (parent >= 0) {
      parent = places[static_cast<size_t>(parent)];
      ++built.nodes[static_cast<size_t>(parent)].children;
    }
    places[i] = static_cast<int64_t>(built.nodes.size());
    built.add(parent, 0);
    if (tree.nodes[i].is_leaf)
      built.subwords += counts[i];
  }
  return built;
}

SubwordTree SubwordTree::beginning(int64_t kept) const {
  SubwordTree cut;
  for (const Node& node : nodes) {
    if (node.first >= kept)
      break;  // depth first: all that follows begins there or later
    if (node.parent >= 0)
      ++cut.nodes[static_cast<size_t>(node.parent)].children;
    cut.nodes.push_back(node);
    cut.nodes.back().children = 0;
  }
  cut.subwords = cut.is_parsed() ? std::min(kept, subwords) : 0;
  return cut;
}

int64_t SubwordTree::end_of_leaf(size_t place) const {
  return place + 1 < nodes.size() ? nodes[place + 1].first : subwords;
}

std::vector<int64_t> SubwordTree::encode() const {
  std::vector<int64_t> code;
  code.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    code.push_back(node.children > 0 ? 2 * node.children + 1 : 2 * (end_of_leaf(i) - node.first));
  }
  return code;
}

SubwordTree SubwordTree::decode(std::span<const int64_t> code) {
  SubwordTree tree;
  // The nodes, with how many of their children are still missing.
  std::vector<std::pair<int64_t, int64_t>> open;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i] < 2)
      reject_code(fmt::format("contains the number {}", code[i]));
    if (i > 0 && open.empty())
      reject_code(fmt::format("is complete after {} of {} numbers", i, code.size()));
    const bool is_leaf = code[i] % 2 == 0;
    tree.add(open.empty() ? -1 : open.back().first, is_leaf ? 0 : code[i] / 2);
    if (!open.empty())
      --open.back().second;
    if (is_leaf) {
      tree.subwords += code[i] / 2;
    } else {
      open.emplace_back(i, code[i] / 2);
    }
    while (!open.empty() && open.back().second == 0) open.pop_back();
  }
  if (!open.empty())
    reject_code(fmt::format("ends after {} numbers, with {} children of a node missing",
                            code.size(),
                            open.back().second));
  return tree;
}

}  // namespace phraseq
