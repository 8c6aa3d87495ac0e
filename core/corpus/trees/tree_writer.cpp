#include "core/corpus/trees/tree_writer.h"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/corpus/indexed_dataset.h"
#include "core/corpus/indexed_dataset_writer.h"
#include "core/corpus/stretches.h"
#include "core/corpus/trees/bracketed_tree.h"
#include "core/corpus/trees/tree_alignment.h"

namespace phraseq {
namespace {

constexpr size_t kStretchLines = 4096;
constexpr size_t kPlaces = 3;
constexpr int64_t kCodeLimit = 0xFFFF'FFFE;  // stored as u32: more than a line can need

/// Sentences with their trees as they are in the files.
struct Stretch {
  std::vector<std::string> lines;
  std::vector<std::string> trees;
  std::vector<int64_t> numbers;  ///< of the lines, from 1

  bool empty() const { return lines.empty(); }
};

/// Reads the kept lines of a text and of its trees side by side.
class PairReader {
 public:
  PairReader(const CheckedText& text, const CheckedText& trees)
      : skipped_(text.skipped), next_line_(kept_lines(text)), next_tree_(kept_lines(trees)) {}

  Stretch next() {
    Stretch stretch;
    std::string line, tree;
    while (stretch.lines.size() < kStretchLines && next_line_(line) && next_tree_(tree)) {
      do {
        ++number_;
      } while (std::binary_search(skipped_.begin(), skipped_.end(), number_));
      stretch.lines.push_back(line);
      stretch.trees.push_back(tree);
      stretch.numbers.push_back(number_);
    }
    return stretch;
  }

 private:
  const std::vector<int64_t>& skipped_;
  std::function<bool(std::string&)> next_line_;
  std::function<bool(std::string&)> next_tree_;
  int64_t number_ = 0;
};

struct EncodedTrees {
  std::vector<std::vector<int64_t>> codes;
  std::vector<int64_t> unparsed;
  std::vector<int64_t> refused;
  std::string first_refusal;
};

EncodedTrees encode_trees(const Stretch& stretch,
                          const std::string& file,
                          const Tokenizer& tokenizer,
                          OnBadTree on_bad_tree) {
  TreeAligner aligner(tokenizer);
  EncodedTrees encoded;
  for (size_t i = 0; i < stretch.lines.size(); ++i) {
    const TextPlace place{file, stretch.numbers[i], 0};
    SubwordTree tree;
    try {
      const BracketedTree read = read_bracketed_tree(stretch.trees[i], place);
      tree = aligner.align(read, tokenizer.encode(stretch.lines[i]), place);
      if (!tree.is_parsed())
        encoded.unparsed.push_back(place.line);
    } catch (const Error& error) {
      if (on_bad_tree == OnBadTree::kError)
        throw;
      if (encoded.refused.empty())
        encoded.first_refusal = error.message();
      encoded.refused.push_back(place.line);
    }
    encoded.codes.push_back(tree.encode());
  }
  return encoded;
}

void note(Findings& findings, const std::vector<int64_t>& lines) {
  findings.count += static_cast<int64_t>(lines.size());
  for (const int64_t line : lines) {
    if (findings.first_lines.size() < kPlaces)
      findings.first_lines.push_back(line);
  }
}

void add(TreeTally& tally, const EncodedTrees& encoded) {
  tally.sentences += static_cast<int64_t>(encoded.codes.size());
  note(tally.unparsed, encoded.unparsed);
  note(tally.refused, encoded.refused);
  if (tally.first_refusal.empty())
    tally.first_refusal = encoded.first_refusal;
}

std::string to_string(const Findings& found, std::string_view what) {
  if (found.count == 0)
    return {};
  const bool more = found.count > static_cast<int64_t>(found.first_lines.size());
  return fmt::format("; {} × {}, line {}{}",
                     found.count,
                     what,
                     fmt::join(found.first_lines, ", "),
                     more ? " …" : "");
}

}  // namespace

std::string to_string(const TreeTally& tally) {
  const int64_t trees = tally.sentences - tally.unparsed.count - tally.refused.count;
  std::string text = fmt::format("{} trees{}{}",
                                 trees,
                                 to_string(tally.unparsed, "not parsed"),
                                 to_string(tally.refused, "skipped"));
  if (!tally.first_refusal.empty())
    text += "\n  first: " + tally.first_refusal;
  return text;
}

TreeTally write_trees(const CheckedText& text,
                      const CheckedText& trees,
                      const Tokenizer& tokenizer,
                      OnBadTree on_bad_tree,
                      int64_t workers,
                      const std::string& prefix) {
  IndexedDatasetWriter writer(prefix, kCodeLimit);
  PairReader reader(text, trees);
  TreeTally tally;
  over_stretches(
      workers,
      [&] { return reader.next(); },
      [&](const Stretch& stretch) {
        return encode_trees(stretch, trees.file, tokenizer, on_bad_tree);
      },
      [&](const EncodedTrees& encoded) {
        for (const auto& code : encoded.codes) writer.add(code);
        add(tally, encoded);
      });
  writer.commit();
  return tally;
}

}  // namespace phraseq
