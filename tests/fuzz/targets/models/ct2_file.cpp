// The file of a CTranslate2 model; every byte of its variables is read.

#include "core/convert/ctranslate2/ct2_file.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(ct2_file) {
  using namespace phraseq;
  const fuzz::FileInMemory input(fuzz::text_of(data, size));
  return fuzz::check([&] {
    const Ct2File file(input.path());
    uint64_t sum = 0;
    for (const auto& [name, variable] : file.variables()) {
      for (const std::byte byte : variable.bytes) sum += std::to_integer<uint64_t>(byte);
    }
    [[maybe_unused]] static volatile uint64_t kept;
    kept = sum;
  });
}
