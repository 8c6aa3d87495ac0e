// A NumPy archive, and the same input as a single array; every byte of the arrays is read.

#include "core/convert/marian/npz_file.h"

#include "tests/fuzz/fuzz_input.h"

namespace {

uint64_t sum_of(const phraseq::TensorView& array) {
  uint64_t sum = 0;
  for (const std::byte byte : array.bytes) sum += std::to_integer<uint64_t>(byte);
  return sum;
}

}  // namespace

PHRASEQ_FUZZ_TARGET(npz_file) {
  using namespace phraseq;
  [[maybe_unused]] static volatile uint64_t kept;
  const auto text = fuzz::text_of(data, size);
  if (text.starts_with('\x93'))
    return fuzz::check(
        [&] { kept = sum_of(parse_npy(std::as_bytes(std::span(text)), "fuzz.npy")); });
  const fuzz::FileInMemory input(text);
  return fuzz::check([&] {
    const NpzFile file(input.path());
    for (const auto& [name, array] : file.arrays()) kept = sum_of(array);
  });
}
