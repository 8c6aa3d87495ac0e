// A file of torch.save: its values, the tensors of every dictionary in it, and the fairseq model.

#include "core/convert/torch/torch_file.h"

#include "core/convert/fairseq/fairseq_checkpoint.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(torch_file) {
  using namespace phraseq;
  const fuzz::FileInMemory input(fuzz::text_of(data, size));
  return fuzz::check([&] {
    const TorchFile file = TorchFile::open(input.path());
    uint64_t sum = 0;
    for (const auto& [name, value] : file.values().entries(file.values().root())) {
      for (const TensorView& tensor : file.tensors(value)) {
        for (const std::byte byte : tensor.bytes) sum += std::to_integer<uint64_t>(byte);
      }
    }
    [[maybe_unused]] static volatile uint64_t kept;
    kept = sum;
    read_fairseq_checkpoint(file);
  });
}
