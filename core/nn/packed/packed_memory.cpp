#include "core/nn/packed/packed_memory.h"

#include <ATen/ops/empty.h>

namespace phraseq::nn {
namespace {

constexpr int64_t kLine = 64;
constexpr int64_t kChunkBytes = int64_t{2} << 20;  // the size of a huge page

}  // namespace

at::Tensor PackedMemory::take(int64_t bytes) {
  const int64_t whole = (bytes + kLine - 1) / kLine * kLine;
  if (whole > kChunkBytes / 2)
    return at::empty({bytes}, at::kByte);
  if (!chunk_.defined() || used_ + whole > kChunkBytes) {
    chunk_ = at::empty({kChunkBytes}, at::kByte);
    used_ = 0;
  }
  const at::Tensor taken = chunk_.narrow(0, used_, bytes);  // [bytes]
  used_ += whole;
  return taken;
}

}  // namespace phraseq::nn
