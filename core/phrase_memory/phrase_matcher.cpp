#include "core/phrase_memory/phrase_matcher.h"

#include <unordered_map>

namespace phraseq {
namespace {

constexpr int64_t kNone = -1;

/// Where a word leads from a node of the trie.
struct Edge {
  int64_t node;
  int64_t word;
  bool operator==(const Edge&) const = default;
};

struct EdgeHash {
  size_t operator()(const Edge& edge) const {
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    uint64_t mixed = static_cast<uint64_t>(edge.node) * kGoldenRatio;
    mixed = (mixed ^ (mixed >> 32) ^ static_cast<uint64_t>(edge.word)) * kGoldenRatio;
    return mixed ^ (mixed >> 32);
  }
};

}  // namespace

struct PhraseMatcher::Trie {
  std::unordered_map<std::string, int64_t> words;
  std::unordered_map<Edge, int64_t, EdgeHash> edges;
  std::vector<int64_t> phrases{kNone};  ///< of each node: the phrase that ends there

  void add(const std::vector<std::string>& phrase, int64_t number) {
    int64_t node = 0;
    for (const std::string& text : phrase) {
      const int64_t word = words.emplace(text, static_cast<int64_t>(words.size())).first->second;
      const auto [edge, is_new] =
          edges.emplace(Edge{node, word}, static_cast<int64_t>(phrases.size()));
      if (is_new)
        phrases.push_back(kNone);
      node = edge->second;
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
      const auto edge = trie_->edges.find(Edge{node, numbers[at]});
      if (edge == trie_->edges.end())
        break;
      node = edge->second;
      const int64_t phrase = trie_->phrases[static_cast<size_t>(node)];
      if (phrase != kNone)
        found.push_back(
            {static_cast<int64_t>(begin), static_cast<int64_t>(at + 1 - begin), phrase});
    }
  }
  return found;
}

}  // namespace phraseq
