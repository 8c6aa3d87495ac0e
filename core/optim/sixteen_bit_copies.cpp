#include "core/optim/sixteen_bit_copies.h"

namespace phraseq {

void refresh_sixteen_bit_copies(nn::FlatParameters& parameters) {
  if (parameters.bf16().defined())
    parameters.refresh_bf16();
  if (parameters.fp16().defined())
    parameters.refresh_fp16();
}

}  // namespace phraseq
