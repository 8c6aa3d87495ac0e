#include "core/search/sessions/log_softmax_scores.h"

#include <ATen/ops/log_softmax.h>

namespace phraseq {

at::Tensor log_softmax_scores(const StepOutput& output) {
  return output.normalized ? output.scores : at::log_softmax(output.scores, 1);
}

}  // namespace phraseq
