#include "core/optim/parameter_copies.h"

namespace phraseq {

void renew_copies(nn::FlatParameters& parameters) {
  if (parameters.bf16().defined())
    parameters.refresh_bf16();
  if (parameters.fp16().defined())
    parameters.refresh_fp16();
}

}  // namespace phraseq
