#include "core/corpus/trees/tree_phrases.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

/// A tree from whose right edge constituents are removed.
///
/// In depth-first order, such a constituent is the end of the list of nodes, so removing it
/// shortens the list, and a bracket at the end of the list has lost all its children. A node on the
/// right edge has all subwords from its first one on; if it has lost some, only the others count.
class ShrinkingTree {
 public:
  explicit ShrinkingTree(const SubwordTree& tree)
      : nodes_(tree.nodes), size_(tree.nodes.size()), subwords_(tree.subwords) {}

  bool is_empty() const { return size_ == 0; }
  size_t rightmost_leaf() const { return size_ - 1; }
  int64_t tokens(size_t place) const { return subwords_ - nodes_[place].first; }
  int64_t depth(size_t place) const { return nodes_[place].depth; }

  /// The largest node on the right edge with fewer than `limit` tokens; of several equally large
  /// ones, the nearest to the root. On the way up, the number of tokens only grows.
  std::optional<size_t> largest_below(int64_t limit) const {
    std::optional<size_t> found;
    for (int64_t place = last(); place >= 0 && tokens(at(place)) < limit; place = parent(place))
      found = at(place);
    return found;
  }

  std::optional<size_t> at_depth(int64_t wanted) const {
    if (is_empty() || depth(rightmost_leaf()) < wanted)
      return std::nullopt;
    int64_t place = last();
    while (depth(at(place)) > wanted) place = parent(place);
    return at(place);
  }

  /// Removes a node of the right edge; returns the number of its tokens.
  int64_t remove(size_t place) {
    const int64_t removed = tokens(place);
    subwords_ -= removed;
    size_ = place;
    while (size_ > 0 && nodes_[size_ - 1].children > 0) --size_;
    return removed;
  }

 private:
  static size_t at(int64_t place) { return static_cast<size_t>(place); }
  int64_t last() const { return static_cast<int64_t>(size_) - 1; }
  int64_t parent(int64_t place) const { return nodes_[at(place)].parent; }

  const std::vector<SubwordTree::Node>& nodes_;
  size_t size_;
  int64_t subwords_;
};

/// The pieces of a leaf that is not part of a constituent, from right to left.
void add_leaf(std::vector<int64_t>& phrases, int64_t tokens, int64_t max_tokens, bool split) {
  if (!split) {
    phrases.push_back(tokens);
    return;
  }
  if (tokens % max_tokens > 0)
    phrases.push_back(tokens % max_tokens);
  phrases.insert(phrases.end(), static_cast<size_t>(tokens / max_tokens), max_tokens);
}

/// Removes a seed and the nodes that join its phrase; returns the number of tokens of the phrase.
int64_t take_phrase(ShrinkingTree& tree, size_t seed, int64_t max_tokens, bool bounded) {
  const int64_t depth = tree.depth(seed);
  int64_t phrase = tree.remove(seed);
  int64_t room = bounded ? max_tokens - phrase : max_tokens;
  for (auto next = tree.at_depth(depth); room > 0 && next && tree.tokens(*next) <= room;
       next = tree.at_depth(depth)) {
    const int64_t added = tree.remove(*next);
    phrase += added;
    room -= added;
  }
  return phrase;
}

}  // namespace

std::vector<int64_t> tree_phrases(const SubwordTree& tree,
                                  int64_t max_tokens,
                                  const TreePhraseOptions& options) {
  if (max_tokens < 1)
    throw UsageError(fmt::format("phrases of at most {} tokens: expected at least 1", max_tokens));
  ShrinkingTree rest(tree);
  std::vector<int64_t> phrases;
  while (!rest.is_empty()) {
    if (const auto seed = rest.largest_below(max_tokens)) {
      phrases.push_back(take_phrase(rest, *seed, max_tokens, options.bounded));
    } else {
      const int64_t leaf = rest.remove(rest.rightmost_leaf());
      add_leaf(phrases, leaf, max_tokens, options.split_long_leaves);
    }
  }
  std::reverse(phrases.begin(), phrases.end());
  return phrases;
}

}  // namespace phraseq
