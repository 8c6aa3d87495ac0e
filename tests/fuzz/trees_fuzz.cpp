// A libFuzzer target, not part of the build: whatever the bytes of a line, it is rejected with
// FormatError, or it is a tree that comes back from its own numbers and is cut into phrases that
// cover it.
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz/trees_fuzz.cpp
//         core/corpus/{bracketed_tree,subword_tree,tree_phrases}.cpp core/base/error.cpp -lfmt
//         -o trees_fuzz

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "core/base/error.h"
#include "core/corpus/trees/tree_phrases.h"

namespace {

void require(bool holds) {
  if (!holds)
    __builtin_trap();
}

void check_phrases(const phraseq::SubwordTree& tree, int64_t max_tokens) {
  for (const bool bounded : {false, true}) {
    for (const bool split : {false, true}) {
      const auto phrases = phraseq::tree_phrases(tree, max_tokens, {bounded, split});
      require(std::accumulate(phrases.begin(), phrases.end(), int64_t{0}) == tree.subwords);
      for (const int64_t phrase : phrases)
        require(phrase > 0 && (!(bounded && split) || phrase <= max_tokens));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  try {
    const auto read = phraseq::read_bracketed_tree(line, {"fuzz", 1, 0});
    std::vector<int64_t> leaf_subwords;
    for (const size_t leaf : read.leaves())
      leaf_subwords.push_back(static_cast<int64_t>(read.nodes[leaf].word.size() % 4));
    const auto tree = phraseq::SubwordTree::build(read, leaf_subwords);
    const auto code = tree.encode();
    require(phraseq::SubwordTree::decode(code).encode() == code);
    check_phrases(tree, 1 + static_cast<int64_t>(size % 8));
    const int64_t kept = static_cast<int64_t>(size) / 3;
    const auto beginning = tree.beginning(kept);
    require(beginning.subwords <= kept);
    require(phraseq::SubwordTree::decode(beginning.encode()).subwords == beginning.subwords);
    check_phrases(beginning, 3);
  } catch (const phraseq::FormatError&) {
  }
  return 0;
}
