#include "core/corpus/trees/tree_alignment.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/text/unicode.h"

namespace phraseq {
namespace {

constexpr std::string_view kSpaceMark = "\u2581";
constexpr std::string_view kGoesOnMark = "@@";
constexpr size_t kSymbolsShown = 4;

bool has_space_mark(const std::string& symbol) {
  return symbol.find(kSpaceMark) != std::string::npos;
}

std::string without(std::string_view text, std::string_view mark) {
  std::string rest;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(mark, begin), text.size());
    rest += text.substr(begin, end - begin);
    begin = end + mark.size();
  }
  return rest;
}

std::string without_whitespace(std::string_view text) {
  std::string rest;
  for (const std::string_view word : split_whitespace(text)) rest += word;
  return rest;
}

/// The symbols of a sentence as one string of visible characters, and where each begins in it.
struct SpelledSentence {
  std::span<const std::string> symbols;
  std::string characters;
  std::vector<size_t> begins;

  explicit SpelledSentence(std::span<const std::string> given) : symbols(given) {
    for (const std::string& visible : visible_characters(given)) {
      begins.push_back(characters.size());
      characters += visible;
    }
  }

  /// The symbols from the one with this character on, for messages: "'▁cat' '▁sat'".
  std::string shown_from(size_t position) const {
    if (position >= characters.size())
      return "nothing more";
    const auto after = std::upper_bound(begins.begin(), begins.end(), position);
    size_t symbol = static_cast<size_t>(after - begins.begin()) - 1;
    std::string text;
    for (const size_t end = symbol + kSymbolsShown; symbol < end && symbol < symbols.size();
         ++symbol)
      text += fmt::format("{}'{}'", text.empty() ? "" : " ", symbols[symbol]);
    return symbol < symbols.size() ? text + " …" : text;
  }
};

/// Finds the leaves of a tree in a sentence, from left to right.
class LeafWalk {
 public:
  explicit LeafWalk(std::span<const std::string> symbols) : sentence_(symbols) {}

  /// Passes a leaf with these characters; returns the number of subwords that begin in it, or
  /// nothing if the sentence continues with other characters.
  std::optional<int64_t> take(const std::string& characters) {
    if (sentence_.characters.compare(position_, characters.size(), characters) != 0)
      return std::nullopt;
    position_ += characters.size();
    const size_t first = symbol_;
    while (symbol_ < sentence_.begins.size() && sentence_.begins[symbol_] < position_) ++symbol_;
    return static_cast<int64_t>(symbol_ - first);
  }

  bool is_at_end() const { return position_ >= sentence_.characters.size(); }
  /// The number of subwords after the last leaf.
  int64_t remaining() const { return static_cast<int64_t>(sentence_.begins.size() - symbol_); }
  /// The next subwords, for messages.
  std::string shown() const { return sentence_.shown_from(position_); }

 private:
  SpelledSentence sentence_;
  size_t position_ = 0;  ///< in the characters
  size_t symbol_ = 0;
};

int64_t& last_with_subwords(std::vector<int64_t>& leaf_subwords) {
  const auto found = std::find_if(
      leaf_subwords.rbegin(), leaf_subwords.rend(), [](int64_t count) { return count > 0; });
  return found == leaf_subwords.rend() ? leaf_subwords.back() : *found;
}

[[noreturn]] void reject_tree(const TextPlace& place,
                              const BracketedTree::Node& leaf,
                              const std::string& problem) {
  throw DataError(
      {place.file, place.line, leaf.column},
      problem,
      "The leaves of a tree must match the sentence of the same line. Parse that text, or leave "
      "the line empty: a sentence without a tree has phrases of equal length.");
}

void require_end(const LeafWalk& walk, const BracketedTree& tree, const TextPlace& place) {
  if (walk.is_at_end())
    return;
  const std::vector<size_t> leaves = tree.leaves();
  const BracketedTree::Node& last = tree.nodes[leaves.back()];
  reject_tree(place,
              last,
              fmt::format("the tree ends with leaf {}, '{}', but the subwords continue with {}",
                          leaves.size(),
                          last.word,
                          walk.shown()));
}

}  // namespace

std::vector<std::string> visible_characters(std::span<const std::string> symbols) {
  const bool spaces_are_marked = std::any_of(symbols.begin(), symbols.end(), has_space_mark);
  std::vector<std::string> visible;
  for (size_t i = 0; i < symbols.size(); ++i) {
    std::string_view symbol = symbols[i];
    const bool goes_on = !spaces_are_marked && i + 1 < symbols.size() &&
                         symbol.size() > kGoesOnMark.size() && symbol.ends_with(kGoesOnMark);
    if (goes_on)
      symbol.remove_suffix(kGoesOnMark.size());
    visible.push_back(without_whitespace(without(symbol, kSpaceMark)));
  }
  return visible;
}

const std::string& TreeAligner::characters_of(const std::string& word) {
  const auto [place, is_new] = known_.try_emplace(word);
  if (is_new) {
    for (const std::string& visible : visible_characters(tokenizer_.encode(word)))
      place->second += visible;
  }
  return place->second;
}

SubwordTree TreeAligner::align(const BracketedTree& tree,
                               std::span<const std::string> symbols,
                               const TextPlace& place) {
  if (!tree.is_parsed())
    return {};
  LeafWalk walk(symbols);
  const std::vector<size_t> leaves = tree.leaves();
  std::vector<int64_t> leaf_subwords;
  for (const size_t node : leaves) {
    const BracketedTree::Node& leaf = tree.nodes[node];
    const std::optional<int64_t> subwords = walk.take(characters_of(leaf.word));
    if (!subwords) {
      reject_tree(place,
                  leaf,
                  fmt::format("leaf {} of {} is '{}', but the subwords have {}",
                              leaf_subwords.size() + 1,
                              leaves.size(),
                              leaf.word,
                              walk.shown()));
    }
    leaf_subwords.push_back(*subwords);
  }
  require_end(walk, tree, place);
  last_with_subwords(leaf_subwords) += walk.remaining();
  return SubwordTree::build(tree, leaf_subwords);
}

}  // namespace phraseq
