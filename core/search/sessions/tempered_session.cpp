#include "core/search/sessions/tempered_session.h"

#include <ATen/ops/div.h>
#include <ATen/ops/le.h>
#include <ATen/ops/where.h>

#include "core/search/constraints.h"

namespace phraseq {

StepOutput TemperedSession::step(const at::Tensor& last_tokens) {
  StepOutput output = session_->step(last_tokens);
  const at::Tensor forbidden = output.scores.le(kHighestForbiddenScore);  // [rows, vocab + slots]
  output.scores =
      at::where(forbidden, output.scores, output.scores / temperature_);  // [rows, vocab + slots]
  output.normalized = false;
  return output;
}

}  // namespace phraseq
