#include "core/text/bpe/learn_bpe.h"

#include <set>
#include <unordered_map>
#include <unordered_set>

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

struct Word {
  std::vector<Symbol> symbols;
  int64_t count = 0;
};

/// The pairs of all words, the most frequent first.
class PairCounts {
 public:
  explicit PairCounts(const std::vector<std::string>& texts) : ranked_(Order{&texts}) {}

  void add(const SymbolPair& pair, int64_t count, size_t word) {
    int64_t& known = counts_[pair];
    if (known != 0)
      ranked_.erase({known, pair});
    known += count;
    if (known != 0)
      ranked_.insert({known, pair});
    if (count > 0)
      words_[pair].insert(word);
  }
  bool empty() const { return ranked_.empty(); }
  std::pair<int64_t, SymbolPair> best() const { return *ranked_.begin(); }
  /// The words that have the pair, or had it.
  std::unordered_set<size_t> take_words(const SymbolPair& pair) {
    std::unordered_set<size_t> found = std::move(words_[pair]);
    words_.erase(pair);
    return found;
  }

 private:
  using Entry = std::pair<int64_t, SymbolPair>;
  struct Order {
    const std::vector<std::string>* texts;
    bool operator()(const Entry& a, const Entry& b) const {
      if (a.first != b.first)
        return a.first > b.first;
      const std::string& a_left = text(a.second.first);
      const std::string& b_left = text(b.second.first);
      return a_left != b_left ? a_left > b_left : text(a.second.second) > text(b.second.second);
    }
    const std::string& text(Symbol symbol) const { return (*texts)[static_cast<size_t>(symbol)]; }
  };

  std::unordered_map<SymbolPair, int64_t, PairHash> counts_;
  std::unordered_map<SymbolPair, std::unordered_set<size_t>, PairHash> words_;
  std::set<Entry, Order> ranked_;
};

/// Symbols by their texts; equal texts are one symbol.
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

/// Its characters, the last with the mark of a word's end.
std::vector<Symbol> symbols_of(const std::string& word, Symbols& symbols) {
  std::vector<std::string> characters = utf8_characters(word);
  characters.back() += "</w>";
  std::vector<Symbol> numbers;
  for (const std::string& character : characters) numbers.push_back(symbols.number(character));
  return numbers;
}

void count_pairs(const Word& word, size_t number, int64_t sign, PairCounts& pairs) {
  for (size_t i = 0; i + 1 < word.symbols.size(); ++i)
    pairs.add({word.symbols[i], word.symbols[i + 1]}, sign * word.count, number);
}

void merge_in(Word& word, const SymbolPair& pair, Symbol merged) {
  std::vector<Symbol> symbols;
  for (size_t i = 0; i < word.symbols.size(); ++i) {
    const bool is_pair = i + 1 < word.symbols.size() && word.symbols[i] == pair.first &&
                         word.symbols[i + 1] == pair.second;
    symbols.push_back(is_pair ? merged : word.symbols[i]);
    i += is_pair ? 1 : 0;
  }
  word.symbols = std::move(symbols);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> learn_bpe(const WordCounts& words,
                                                           int64_t merges,
                                                           int64_t min_count) {
  std::vector<std::string> texts;
  Symbols symbols(texts);
  std::vector<Word> all;
  for (const auto& [text, count] : words) {
    if (!text.empty())
      all.push_back({symbols_of(text, symbols), count});
  }
  PairCounts pairs(texts);
  for (size_t i = 0; i < all.size(); ++i) count_pairs(all[i], i, 1, pairs);
  std::vector<std::pair<std::string, std::string>> learned;
  while (static_cast<int64_t>(learned.size()) < merges && !pairs.empty()) {
    const auto [count, pair] = pairs.best();
    if (count < min_count)
      break;
    learned.emplace_back(texts[static_cast<size_t>(pair.first)],
                         texts[static_cast<size_t>(pair.second)]);
    const Symbol merged = symbols.number(learned.back().first + learned.back().second);
    for (const size_t number : pairs.take_words(pair)) {
      count_pairs(all[number], number, -1, pairs);
      merge_in(all[number], pair, merged);
      count_pairs(all[number], number, 1, pairs);
    }
  }
  return learned;
}

std::string bpe_codes_text(const std::vector<std::pair<std::string, std::string>>& merges) {
  std::string text = "#version: 0.2\n";
  for (const auto& [left, right] : merges) text += left + ' ' + right + '\n';
  return text;
}

}  // namespace phraseq
