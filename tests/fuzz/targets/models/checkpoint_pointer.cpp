// The file checkpoint_last or checkpoint_best, which must contain a plain name and a checksum.

#include "core/checkpoint/checkpoint_pointer.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(checkpoint_pointer) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] {
    const auto pointer = read_pointer(file.path());
    if (!pointer || pointer->name.empty() || pointer->name.find('/') != std::string::npos)
      throw std::logic_error("a pointer leaves its folder");
  });
}
