// A line of metrics.jsonl.

#include "core/plot/curves/metrics_record.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace phraseq;
  return fuzz::check([&] { plot::parse_metrics_record(fuzz::text_of(data, size)); });
}
