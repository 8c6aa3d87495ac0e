// A bracketed parse tree, its phrases and its fit to a sentence.

#include "core/corpus/trees/bracketed_tree.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace phraseq;
  return fuzz::check([&] {
    const BracketedTree tree = read_bracketed_tree(fuzz::text_of(data, size), {"trees", 1, 1});
    for (const size_t leaf : tree.leaves()) {
      if (!tree.nodes.at(leaf).is_leaf)
        throw std::logic_error("an inner node among the leaves");
    }
    for (size_t i = 1; i < tree.nodes.size(); ++i) {
      if (tree.nodes[i].parent < 0 || tree.nodes[i].parent >= static_cast<int64_t>(i))
        throw std::logic_error("a parent behind its child");
    }
  });
}
