#include "core/search/sessions/fused_session.h"

#include <utility>

#include "core/base/error.h"
#include "core/search/constraints.h"
#include "core/search/sessions/log_softmax_scores.h"

namespace phraseq {

FusedSession::FusedSession(std::unique_ptr<DecodingSession> model,
                           std::unique_ptr<DecodingSession> language_model,
                           double weight)
    : model_(std::move(model)), language_model_(std::move(language_model)), weight_(weight) {
  if (model_->slots() > 0 || language_model_->slots() > 0) {
    throw UsageError(
        "--lm-path: a model that offers whole phrases cannot be combined with a "
        "language model",
        "Leave --lm-path out.");
  }
}

StepOutput FusedSession::step(const at::Tensor& last_tokens) {
  StepOutput output = model_->step(last_tokens);
  const at::Tensor of_model = log_softmax_scores(output);  // [rows, vocab]
  const at::Tensor of_language =
      log_softmax_scores(language_model_->step(last_tokens));  // [rows, vocab]
  if (of_model.sizes() != of_language.sizes()) {
    throw UsageError("--lm-path: the vocabulary of the language model has a different size",
                     "Train it on data preprocessed with --srcdict, the target dictionary.");
  }
  const at::Tensor forbidden =
      of_model.le(kHighestForbiddenScore).logical_or(of_language.le(kHighestForbiddenScore));
  output.scores = of_model.add(of_language, weight_)
                      .masked_fill(forbidden, DecoderOutput::kForbiddenScore);  // [rows, vocab]
  output.normalized = true;
  return output;
}

void FusedSession::select(const std::vector<int64_t>& rows) {
  model_->select(rows);
  language_model_->select(rows);
}

void FusedSession::chosen(const std::vector<int64_t>& choices) {
  model_->chosen(choices);
  language_model_->chosen(choices);
}

}  // namespace phraseq
