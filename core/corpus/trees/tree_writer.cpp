#include "core/corpus/trees/tree_writer.h"

#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/counted.h"
#include "core/corpus/chunks.h"
#include "core/corpus/id_type.h"
#include "core/corpus/indexed_dataset_writer.h"
#include "core/corpus/trees/bracketed_tree.h"
#include "core/corpus/trees/tree_alignment.h"

namespace phraseq {
namespace {

constexpr size_t kChunkLines = 4096;

/// Sentences with their trees as they are in the files.
struct Chunk {
  std::vector<std::string> lines;
  std::vector<std::string> trees;
  std::vector<int64_t> numbers;  ///< of the lines, from 1

  bool empty() const { return lines.empty(); }
};

/// Reads the kept lines of a text and of its trees side by side.
class PairReader {
 public:
  PairReader(const CheckedText& text, const CheckedText& trees) : lines_(text), trees_(trees) {}

  Chunk next() {
    Chunk chunk;
    std::string line, tree;
    while (chunk.lines.size() < kChunkLines && lines_.next(line) && trees_.next(tree)) {
      chunk.lines.push_back(line);
      chunk.trees.push_back(tree);
      chunk.numbers.push_back(trees_.line_number());
    }
    return chunk;
  }

 private:
  KeptLines lines_, trees_;
};

struct EncodedTrees {
  std::vector<std::vector<int64_t>> codes;
  std::vector<int64_t> unparsed;
  std::vector<int64_t> rejected;
  std::string first_rejection;
};

EncodedTrees encode_trees(const Chunk& chunk,
                          const std::string& file,
                          const Tokenizer& tokenizer,
                          OnBadTree on_bad_tree) {
  TreeAligner aligner(tokenizer);
  EncodedTrees encoded;
  for (size_t i = 0; i < chunk.lines.size(); ++i) {
    const TextPlace place{file, chunk.numbers[i], 0};
    SubwordTree tree;
    try {
      const BracketedTree read = read_bracketed_tree(chunk.trees[i], place);
      tree = aligner.align(read, tokenizer.encode(chunk.lines[i]), place);
      if (!tree.is_parsed())
        encoded.unparsed.push_back(place.line);
    } catch (const Error& error) {
      if (on_bad_tree == OnBadTree::kError)
        throw;
      if (encoded.rejected.empty())
        encoded.first_rejection = error.message();
      encoded.rejected.push_back(place.line);
    }
    encoded.codes.push_back(tree.encode());
  }
  return encoded;
}

void note(Findings& findings, const std::vector<int64_t>& lines) {
  for (const int64_t line : lines) findings.add(line);
}

void add(TreeCounts& counts, const EncodedTrees& encoded) {
  counts.sentences += static_cast<int64_t>(encoded.codes.size());
  note(counts.unparsed, encoded.unparsed);
  note(counts.rejected, encoded.rejected);
  if (counts.first_rejection.empty())
    counts.first_rejection = encoded.first_rejection;
}

std::string to_string(const Findings& found, std::string_view what) {
  return found.count == 0 ? std::string() : "; " + found.text(what);
}

}  // namespace

std::string to_string(const TreeCounts& counts) {
  const int64_t trees = counts.sentences - counts.unparsed.count - counts.rejected.count;
  std::string text = fmt::format("{}{}{}",
                                 counted(trees, "tree"),
                                 to_string(counts.unparsed, "not parsed"),
                                 to_string(counts.rejected, "skipped"));
  if (!counts.first_rejection.empty())
    text += "\n  first: " + counts.first_rejection;
  return text;
}

TreeCounts write_trees(const CheckedText& text,
                       const CheckedText& trees,
                       const Tokenizer& tokenizer,
                       OnBadTree on_bad_tree,
                       int64_t workers,
                       const std::string& prefix) {
  IndexedDatasetWriter writer(prefix, kNumberLimit);
  PairReader reader(text, trees);
  TreeCounts counts;
  over_chunks(
      workers,
      [&] { return reader.next(); },
      [&](const Chunk& chunk) { return encode_trees(chunk, trees.file, tokenizer, on_bad_tree); },
      [&](const EncodedTrees& encoded) {
        for (const auto& code : encoded.codes) writer.add(code);
        add(counts, encoded);
      });
  writer.commit();
  return counts;
}

}  // namespace phraseq
