// A checkpoint, or a plain safetensors file: opened, checked and described as phraseq inspect does.

#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_report.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] {
    const CheckpointFile checkpoint = CheckpointFile::open(file.path());
    checkpoint_report(checkpoint);
    checkpoint_summary(checkpoint);
    options_list(checkpoint);
    tensor_list(checkpoint);
  });
}
