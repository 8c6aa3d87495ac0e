// The manifest of a data folder.

#include "core/corpus/manifest/data_manifest.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(manifest) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] { read_data_manifest("data-bin", file.path()).dump(); });
}
