// The metrics.jsonl of a training run.

#include "core/plot/curves/metrics_file.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(metrics) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] { plot::read_run_metrics(file.path()); });
}
