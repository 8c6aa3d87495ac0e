#include "core/corpus/trees/bracketed_tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace phraseq {
namespace {

constexpr std::string_view kSeparators = " \t";
constexpr std::string_view kWordEnds = " \t()";
constexpr std::string_view kEmptyCategory = "-NONE-";
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kBracketWords = {{
    {"-LRB-", "("},
    {"-RRB-", ")"},
    {"-LSB-", "["},
    {"-RSB-", "]"},
    {"-LCB-", "{"},
    {"-RCB-", "}"},
}};

std::string_view unescaped(std::string_view word) {
  for (const auto& [escaped, bracket] : kBracketWords) {
    if (word == escaped)
      return bracket;
  }
  return word;
}

/// What parsers write when they give up.
bool is_unparsed(std::string_view line) {
  if (line.find_first_not_of(kWordEnds) != std::string_view::npos)
    return false;
  std::string brackets(line);
  std::erase_if(brackets, [](char c) { return kSeparators.find(c) != std::string_view::npos; });
  return brackets.empty() || brackets == "()" || brackets == "(())";
}

/// Reads a line with a stack of open brackets instead of recursion: a line may open a million.
class Reader {
 public:
  Reader(std::string_view line, const TextPlace& place) : line_(line), place_(place) {}

  BracketedTree read() {
    for (skip_separators(); position_ < line_.size(); skip_separators()) {
      if (open_.empty() && !tree_.nodes.empty())
        reject(position_, "the tree ends here, but the line continues");
      if (line_[position_] == '(') {
        open_bracket();
      } else if (line_[position_] == ')') {
        close_bracket();
      } else {
        add_word();
      }
    }
    if (!open_.empty()) {
      reject(line_.size(),
             fmt::format("the line ends, but the bracket opened in column {} is not closed",
                         node(open_.back().node).column));
    }
    return std::move(tree_);
  }

 private:
  struct OpenBracket {
    size_t node;
    int64_t words = 0;
    int64_t brackets = 0;
    bool is_empty_category = false;
  };

  BracketedTree::Node& node(size_t place) { return tree_.nodes[place]; }

  void skip_separators() {
    position_ = std::min(line_.find_first_not_of(kSeparators, position_), line_.size());
  }

  std::string_view take_word() {
    const size_t begin = position_;
    position_ = std::min(line_.find_first_of(kWordEnds, position_), line_.size());
    return line_.substr(begin, position_ - begin);
  }

  void add_node(bool is_leaf, std::string_view word) {
    const int64_t parent = open_.empty() ? -1 : static_cast<int64_t>(open_.back().node);
    tree_.nodes.push_back(
        {parent, is_leaf, std::string(word), static_cast<int64_t>(position_) + 1});
  }

  void open_bracket() {
    add_node(/*is_leaf=*/false, {});
    if (!open_.empty())
      ++open_.back().brackets;
    ++position_;
    skip_separators();
    const bool is_empty_category = take_word() == kEmptyCategory;  // what follows '(' is the label
    open_.push_back({tree_.nodes.size() - 1, 0, 0, is_empty_category});
  }

  void add_word() {
    if (open_.empty()) {
      const size_t begin = position_;
      reject(begin, fmt::format("'{}' is outside all brackets", take_word()));
    }
    add_node(/*is_leaf=*/true, {});
    const std::string_view word = take_word();
    if (!open_.back().is_empty_category)
      tree_.nodes.back().word = unescaped(word);
    ++open_.back().words;
  }

  void close_bracket() {
    if (open_.empty())
      reject(position_, "')' has no matching bracket");
    const OpenBracket closed = open_.back();
    if (closed.words + closed.brackets == 0) {
      reject(position_,
             fmt::format("the bracket opened in column {} contains no word",
                         node(closed.node).column));
    }
    if (closed.words == 1 && closed.brackets == 0)
      make_leaf(closed.node);
    open_.pop_back();
    ++position_;
  }

  /// Turns a bracket into a leaf: its only word is the last node, which it absorbs.
  void make_leaf(size_t bracket) {
    BracketedTree::Node word = std::move(tree_.nodes.back());
    tree_.nodes.pop_back();
    word.parent = node(bracket).parent;
    node(bracket) = std::move(word);
  }

  [[noreturn]] void reject(size_t position, const std::string& problem) const {
    const TextPlace here{place_.file, place_.line, static_cast<int64_t>(position) + 1};
    throw DataError(fmt::format("{}: {}; expected one bracketed tree per line, such as (S (NP "
                                "(DT the) (NN cat)) (VP (VBD sat)))",
                                to_string(here),
                                problem),
                    "Correct the line, or leave it empty: a sentence without a tree has phrases "
                    "of equal length. Brackets in the text are written -LRB- and -RRB-; several "
                    "trees on one line must be enclosed in one more pair of brackets.");
  }

  std::string_view line_;
  const TextPlace& place_;
  size_t position_ = 0;
  std::vector<OpenBracket> open_;
  BracketedTree tree_;
};

}  // namespace

std::vector<size_t> BracketedTree::leaves() const {
  std::vector<size_t> places;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].is_leaf)
      places.push_back(i);
  }
  return places;
}

BracketedTree read_bracketed_tree(std::string_view line, const TextPlace& place) {
  if (is_unparsed(line))
    return {};
  return Reader(line, place).read();
}

}  // namespace phraseq
