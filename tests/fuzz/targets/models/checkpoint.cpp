// A checkpoint or a plain safetensors file: it is opened, checked and described as by phraseq
// inspect, and every byte of its tensors is read.

#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_report.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(checkpoint) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] {
    const CheckpointFile checkpoint = CheckpointFile::open(file.path());
    checkpoint_report(checkpoint);
    checkpoint_summary(checkpoint);
    options_list(checkpoint);
    tensor_list(checkpoint);
    uint64_t sum = 0;
    for (const TensorView& tensor : checkpoint.tensors()) {
      for (const std::byte byte : tensor.bytes) sum += std::to_integer<uint64_t>(byte);
    }
    [[maybe_unused]] static volatile uint64_t kept;
    kept = sum;
  });
}
