#include "core/search/sessions/tempered_session.h"

#include <ATen/ops/div.h>

namespace phraseq {

StepOutput TemperedSession::step(const at::Tensor& last_tokens) {
  StepOutput output = session_->step(last_tokens);
  output.scores = output.scores / temperature_;  // [rows, vocab + slots]
  output.normalized = false;
  return output;
}

}  // namespace phraseq
