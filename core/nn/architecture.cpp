#include "core/nn/architecture.h"

#include <ATen/core/Tensor.h>

#include "core/nn/functional/linear.h"

namespace phraseq {

at::Tensor DecoderOutput::logits(nn::Context& context) const {
  const at::Tensor scores = unwidened_logits(context);  // [rows, vocab]
  return scores.scalar_type() == at::kDouble ? scores : scores.to(at::kFloat);
}

at::Tensor DecoderOutput::unwidened_logits(nn::Context& context) const {
  at::Tensor scores = nn::linear(hidden, output_weight, output_bias, context);  // [rows, vocab]
  if (!forbidden.empty() && scores.scalar_type() == at::kHalf)
    scores = scores.to(at::kFloat);  // fp16 has no kForbiddenScore
  for (const int64_t id : forbidden) scores.select(1, id).fill_(kForbiddenScore);  // [rows]
  return scores;
}

}  // namespace phraseq
