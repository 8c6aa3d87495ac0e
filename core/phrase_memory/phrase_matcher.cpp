#include "core/phrase_memory/phrase_matcher.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace phraseq {
namespace {

constexpr int64_t kNone = -1;

/// Where words lead from the nodes of the trie: a hash table without a node of its own for each of
/// the edges, of which a large phrase table has millions. 32 bits are enough: the entries that so
/// many edges come from would take hundreds of gigabytes.
class EdgeTable {
 public:
  /// The node that a word leads to; kNone = none.
  int64_t find(int64_t node, int64_t word) const {
    const uint32_t found = edges_[place_of(narrow(node), narrow(word))].to;
    return found == kFree ? kNone : int64_t{found};
  }

  /// The same; where there is none, adds an edge to `to`.
  int64_t find_or_add(int64_t node, int64_t word, int64_t to) {
    if (4 * (count_ + 1) > 3 * edges_.size())
      grow();
    Edge& edge = edges_[place_of(narrow(node), narrow(word))];
    if (edge.to == kFree) {
      edge = {narrow(node), narrow(word), narrow(to)};
      ++count_;
    }
    return edge.to;
  }

 private:
  static constexpr uint32_t kFree = 0xFFFFFFFF;

  struct Edge {
    uint32_t node = 0, word = 0;
    uint32_t to = kFree;  ///< kFree = a free place
  };

  static uint32_t narrow(int64_t number) { return static_cast<uint32_t>(number); }

  static uint64_t hash_of(uint32_t node, uint32_t word) {
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    uint64_t mixed = node * kGoldenRatio;
    mixed = (mixed ^ (mixed >> 32) ^ word) * kGoldenRatio;
    return mixed ^ (mixed >> 32);
  }

  /// Where an edge is, or the free place where it would be.
  size_t place_of(uint32_t node, uint32_t word) const {
    size_t place = hash_of(node, word) & (edges_.size() - 1);
    while (edges_[place].to != kFree && (edges_[place].node != node || edges_[place].word != word))
      place = (place + 1) & (edges_.size() - 1);
    return place;
  }

  void grow() {
    std::vector<Edge> old(2 * edges_.size());
    old.swap(edges_);
    for (const Edge& edge : old) {
      if (edge.to != kFree)
        edges_[place_of(edge.node, edge.word)] = edge;
    }
  }

  std::vector<Edge> edges_ = std::vector<Edge>(16);  ///< a power of two; a quarter is free
  size_t count_ = 0;
};

}  // namespace

struct PhraseMatcher::Trie {
  std::unordered_map<std::string, int64_t> words;
  EdgeTable edges;
  std::vector<int64_t> phrases{kNone};  ///< of each node: the phrase that ends there

  void add(const std::vector<std::string>& phrase, int64_t number) {
    int64_t node = 0;
    for (const std::string& text : phrase) {
      const auto next_word = static_cast<int64_t>(words.size());
      const int64_t word = words.try_emplace(text, next_word).first->second;
      const auto next_node = static_cast<int64_t>(phrases.size());
      node = edges.find_or_add(node, word, next_node);
      if (node == next_node)
        phrases.push_back(kNone);
    }
    int64_t& end = phrases[static_cast<size_t>(node)];
    if (end == kNone && node != 0)
      end = number;
  }

  std::vector<int64_t> numbers_of(std::span<const std::string> sentence) const {
    std::vector<int64_t> numbers;
    numbers.reserve(sentence.size());
    for (const std::string& word : sentence) {
      const auto known = words.find(word);
      numbers.push_back(known == words.end() ? kNone : known->second);
    }
    return numbers;
  }
};

PhraseMatcher::PhraseMatcher(std::span<const PhraseEntry> entries) {
  auto trie = std::make_unique<Trie>();
  for (size_t i = 0; i < entries.size(); ++i) trie->add(entries[i].source, static_cast<int64_t>(i));
  trie_ = std::move(trie);
}

PhraseMatcher::~PhraseMatcher() = default;
PhraseMatcher::PhraseMatcher(PhraseMatcher&&) noexcept = default;

std::vector<PhraseOccurrence> PhraseMatcher::find(std::span<const std::string> words) const {
  std::vector<PhraseOccurrence> found;
  const std::vector<int64_t> numbers = trie_->numbers_of(words);
  for (size_t begin = 0; begin < numbers.size(); ++begin) {
    int64_t node = 0;
    for (size_t at = begin; at < numbers.size(); ++at) {
      node = trie_->edges.find(node, numbers[at]);
      if (node == kNone)
        break;
      const int64_t phrase = trie_->phrases[static_cast<size_t>(node)];
      if (phrase != kNone)
        found.push_back(
            {static_cast<int64_t>(begin), static_cast<int64_t>(at + 1 - begin), phrase});
    }
  }
  return found;
}

}  // namespace phraseq
