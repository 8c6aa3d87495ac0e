// The metrics.jsonl of a training run.

#include "core/plot/curves/metrics_file.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] { plot::read_run_metrics(file.path()); });
}
