// fairseq's dict.txt. A dictionary that was read must be the same after it is written and read
// again.

#include "core/text/dictionary.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(dictionary) {
  using namespace phraseq;
  return fuzz::check([&] {
    const Dictionary first = Dictionary::parse(fuzz::text_of(data, size), "dict.txt");
    const Dictionary second = Dictionary::parse(first.to_text(), "dict.txt");
    if (!(first == second) || first.fingerprint() != second.fingerprint())
      throw std::logic_error("the dictionary changes when it is written and read");
  });
}
