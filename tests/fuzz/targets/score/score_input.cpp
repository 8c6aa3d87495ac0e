// The output of a system, scored against itself.

#include "core/score/report/score_input.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(score_input) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] { score::read_score_input({file.path()}, {file.path()}, 1); });
}
