#include "core/search/hypothesis_tree.h"

namespace phraseq {

int64_t HypothesisTree::add(HypothesisNode added) {
  added.step = added.parent < 0 ? 0 : node(added.parent).step + 1;
  nodes_.push_back(added);
  return static_cast<int64_t>(nodes_.size()) - 1;
}

std::vector<HypothesisNode> HypothesisTree::path(int64_t place) const {
  if (place < 0)
    return {};
  std::vector<HypothesisNode> nodes(static_cast<size_t>(node(place).step) + 1);
  for (auto next = nodes.rbegin(); next != nodes.rend(); ++next) {
    *next = node(place);
    place = next->parent;
  }
  return nodes;
}

std::vector<int64_t> HypothesisTree::tokens(int64_t place) const {
  std::vector<int64_t> tokens;
  for (const HypothesisNode& node : path(place)) tokens.push_back(node.token);
  return tokens;
}

std::vector<int64_t> HypothesisTree::strings(int64_t place) const {
  std::vector<int64_t> strings;
  for (const HypothesisNode& node : path(place)) strings.push_back(node.string);
  return strings;
}

}  // namespace phraseq
