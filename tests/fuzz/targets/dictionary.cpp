// fairseq's dict.txt. What is read is written and read again as the same.

#include "core/text/dictionary.h"

#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace phraseq;
  return fuzz::check([&] {
    const Dictionary first = Dictionary::parse(fuzz::text_of(data, size), "dict.txt");
    const Dictionary second = Dictionary::parse(first.to_text(), "dict.txt");
    if (first.size() != second.size() || first.to_text() != second.to_text())
      throw std::logic_error("the dictionary changes when it is written and read");
  });
}
