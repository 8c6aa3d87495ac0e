#include "core/text/bpe/learn_bpe.h"

#include <optional>
#include <queue>
#include <unordered_map>

#include "core/base/utf8_characters.h"

namespace phraseq {
namespace {

using Symbol = int32_t;
using SymbolPair = std::pair<Symbol, Symbol>;

struct PairHash {
  size_t operator()(const SymbolPair& pair) const {
    const auto first = static_cast<uint64_t>(static_cast<uint32_t>(pair.first));
    return std::hash<uint64_t>()((first << 32) | static_cast<uint32_t>(pair.second));
  }
};

struct RankedPair {
  int64_t count = 0;
  SymbolPair symbols;
};

/// The pairs of all words, and a queue of them, the most frequent first. If the count of a pair
/// rises, the pair is queued again by `queue_raised`; if it falls, when the pair reaches the front
/// of the queue.
class PairCounts {
 public:
  explicit PairCounts(const std::vector<std::string>& texts) : queue_(Lower{&texts}) {}

  void add(const SymbolPair& symbols, int64_t count, size_t word) {
    Pair& pair = *pairs_.try_emplace(symbols).first;
    pair.second.count += count;
    if (pair.second.words.empty() || pair.second.words.back() != word)
      pair.second.words.push_back(word);
    if (!std::exchange(pair.second.is_raised, true))
      raised_.push_back(&pair);
  }
  void subtract(const SymbolPair& symbols, int64_t count) { pairs_.at(symbols).count -= count; }

  /// Must be called before `best` if counts were added.
  void queue_raised() {
    for (Pair* pair : raised_) {
      pair->second.is_raised = false;
      if (pair->second.count > pair->second.queued)
        queue(*pair);
    }
    raised_.clear();
  }
  /// The most frequent pair, if there is one.
  std::optional<RankedPair> best() {
    while (!queue_.empty()) {
      const auto [count, pair] = queue_.top();
      if (count == pair->second.count)
        return RankedPair{count, pair->first};
      queue_.pop();
      if (count == pair->second.queued)  // otherwise, it is also queued with a higher count
        queue(*pair);
    }
    return std::nullopt;
  }
  /// Removes and returns the words that contain the pair or once did; a word may occur twice.
  std::vector<size_t> take_words(const SymbolPair& symbols) {
    return std::exchange(pairs_.at(symbols).words, {});
  }

 private:
  struct Occurrences {
    int64_t count = 0;
    int64_t queued = 0;  ///< at least the count, except for raised pairs
    bool is_raised = false;
    std::vector<size_t> words;
  };
  using Pair = std::pair<const SymbolPair, Occurrences>;
  using Entry = std::pair<int64_t, Pair*>;
  struct Lower {
    const std::vector<std::string>* texts;
    bool operator()(const Entry& a, const Entry& b) const {
      if (a.first != b.first)
        return a.first < b.first;
      const auto& [a_left, a_right] = a.second->first;
      const auto& [b_left, b_right] = b.second->first;
      return a_left != b_left ? text(a_left) < text(b_left) : text(a_right) < text(b_right);
    }
    const std::string& text(Symbol symbol) const { return (*texts)[static_cast<size_t>(symbol)]; }
  };

  void queue(Pair& pair) {
    pair.second.queued = pair.second.count;
    if (pair.second.count > 0)
      queue_.push({pair.second.count, &pair});
  }

  std::unordered_map<SymbolPair, Occurrences, PairHash> pairs_;
  std::priority_queue<Entry, std::vector<Entry>, Lower> queue_;
  std::vector<Pair*> raised_;
};

/// Assigns numbers to symbols by their texts; equal texts are the same symbol.
class Symbols {
 public:
  explicit Symbols(std::vector<std::string>& texts) : texts_(texts) {}

  Symbol number(const std::string& text) {
    const auto [known, is_new] = numbers_.emplace(text, static_cast<Symbol>(texts_.size()));
    if (is_new)
      texts_.push_back(text);
    return known->second;
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, Symbol> numbers_;
};

/// The characters of a word, the last one with the end-of-word mark.
std::vector<Symbol> symbols_of(const std::string& word, Symbols& symbols) {
  std::vector<std::string> characters = utf8_characters(word);
  characters.back() += "</w>";
  std::vector<Symbol> numbers;
  for (const std::string& character : characters) numbers.push_back(symbols.number(character));
  return numbers;
}

class BpeLearner {
 public:
  explicit BpeLearner(const WordCounts& words) {
    for (const auto& [text, count] : words) {
      if (!text.empty())
        words_.push_back({symbols_of(text, symbols_), count});
    }
    for (size_t word = 0; word < words_.size(); ++word) count_pairs(word);
  }

  /// Merges the most frequent pair and returns its two symbols, or nothing if no pair occurs
  /// `min_count` times.
  std::optional<std::pair<std::string, std::string>> merge_best(int64_t min_count) {
    pairs_.queue_raised();
    const auto best = pairs_.best();
    if (!best || best->count < min_count)
      return std::nullopt;
    const auto& [left, right] = best->symbols;
    std::pair texts = {texts_[static_cast<size_t>(left)], texts_[static_cast<size_t>(right)]};
    const Symbol merged = symbols_.number(texts.first + texts.second);
    for (const size_t word : pairs_.take_words(best->symbols))
      merge_in(word, best->symbols, merged);
    return texts;
  }

 private:
  struct Word {
    std::vector<Symbol> symbols;
    int64_t count = 0;
  };

  void count_pairs(size_t number) {
    const auto& [symbols, count] = words_[number];
    for (size_t i = 0; i + 1 < symbols.size(); ++i)
      pairs_.add({symbols[i], symbols[i + 1]}, count, number);
  }

  void replace(const SymbolPair& old, const SymbolPair& with, size_t word) {
    pairs_.subtract(old, words_[word].count);
    pairs_.add(with, words_[word].count, word);
  }

  /// Merges the pair in a word, in place: symbols before `to` belong to the result, and symbols
  /// from `from` on are the old ones.
  void merge_in(size_t word, const SymbolPair& pair, Symbol merged) {
    std::vector<Symbol>& symbols = words_[word].symbols;
    size_t to = 0;
    for (size_t from = 0; from < symbols.size(); ++from, ++to) {
      symbols[to] = symbols[from];
      if (from + 1 == symbols.size() || SymbolPair(symbols[from], symbols[from + 1]) != pair)
        continue;
      pairs_.subtract(pair, words_[word].count);
      if (to > 0)
        replace({symbols[to - 1], pair.first}, {symbols[to - 1], merged}, word);
      ++from;
      if (from + 1 < symbols.size())
        replace({pair.second, symbols[from + 1]}, {merged, symbols[from + 1]}, word);
      symbols[to] = merged;
    }
    symbols.resize(to);
  }

  std::vector<std::string> texts_;
  Symbols symbols_{texts_};
  PairCounts pairs_{texts_};
  std::vector<Word> words_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> learn_bpe(const WordCounts& words,
                                                           int64_t merges,
                                                           int64_t min_count) {
  BpeLearner learner(words);
  std::vector<std::pair<std::string, std::string>> learned;
  while (static_cast<int64_t>(learned.size()) < merges) {
    auto merge = learner.merge_best(min_count);
    if (!merge)
      break;
    learned.push_back(*std::move(merge));
  }
  return learned;
}

std::string bpe_codes_text(const std::vector<std::pair<std::string, std::string>>& merges) {
  std::string text = "#version: 0.2\n";
  for (const auto& [left, right] : merges) text += left + ' ' + right + '\n';
  return text;
}

}  // namespace phraseq
