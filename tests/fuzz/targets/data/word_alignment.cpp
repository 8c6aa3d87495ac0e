// A line of word alignments in Pharaoh's notation, and its symmetrization with itself.

#include "core/phrase_memory/table/word_alignment.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(word_alignment) {
  using namespace phraseq;
  return fuzz::check([&] {
    const WordAlignment links =
        parse_alignment(fuzz::text_of(data, size), 20, 20, {"alignments", 1, 1});
    if (symmetrize(links, links) != links)
      throw std::logic_error("an alignment is not its own symmetrization");
  });
}
