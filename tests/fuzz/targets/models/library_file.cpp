// A plugin's library: its symbols, needs and build, read without loading it.

#include "core/plugin/library_file.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(library_file) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  fuzz::check([&] { inspect_library(file.path()); });
  return fuzz::check([&] { abi_text_in(file.path()); });
}
