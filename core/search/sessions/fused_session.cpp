#include "core/search/sessions/fused_session.h"

#include <utility>

#include <ATen/ops/log_softmax.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

/// [rows, vocab]
at::Tensor log_probabilities(const StepOutput& output) {
  return output.normalized ? output.scores : at::log_softmax(output.scores, 1);
}

}  // namespace

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
  const at::Tensor of_model = log_probabilities(output);
  const at::Tensor of_language = log_probabilities(language_model_->step(last_tokens));
  if (of_model.sizes() != of_language.sizes()) {
    throw UsageError("--lm-path: the vocabulary of the language model has a different size",
                     "Train it on data preprocessed with --srcdict, the target dictionary.");
  }
  output.scores = of_model.add(of_language, weight_);  // [rows, vocab]
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
