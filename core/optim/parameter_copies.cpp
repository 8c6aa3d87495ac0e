#include "core/optim/operators/operator_optimizer.h"

namespace phraseq {

at::Tensor scaled_gradients(nn::FlatParameters& parameters, double gradient_scale) {
  return parameters.gradients() * gradient_scale;
}

void renew_bf16(nn::FlatParameters& parameters) {
  if (parameters.bf16().defined())
    parameters.refresh_bf16();
  if (parameters.fp16().defined())
    parameters.refresh_fp16();
}

}  // namespace phraseq
