#include "core/search/sessions/ensemble_session.h"

#include <ATen/ops/stack.h>

#include "core/base/error.h"
#include "core/search/sessions/log_mean_exp.h"
#include "core/search/sessions/log_softmax_scores.h"

namespace phraseq {

EnsembleSession::EnsembleSession(std::vector<std::unique_ptr<DecodingSession>> members)
    : members_(std::move(members)) {
  for (const auto& member : members_) {
    if (member->slots() > 0) {
      throw UsageError("--path: a model that offers whole phrases cannot be part of an ensemble",
                       "Use only one checkpoint in --path.");
    }
  }
}

StepOutput EnsembleSession::step(const at::Tensor& last_tokens) {
  std::vector<at::Tensor> log_probabilities, attention;
  for (const auto& member : members_) {
    const StepOutput output = member->step(last_tokens);
    log_probabilities.push_back(log_softmax_scores(output));  // [rows, vocab]
    if (log_probabilities.back().sizes() != log_probabilities.front().sizes()) {
      throw UsageError(
          "--path: the models of the ensemble have target vocabularies of different sizes",
          "The models of an ensemble must be trained with the same dictionaries.");
    }
    if (output.attention.defined())
      attention.push_back(output.attention);
  }
  StepOutput mean{log_mean_exp(log_probabilities), /*normalized=*/true, {}};  // [rows, vocab]
  if (attention.size() == members_.size())
    mean.attention = at::stack(attention).mean(0);  // [rows, src_time]
  return mean;
}

void EnsembleSession::select(const std::vector<int64_t>& rows) {
  for (const auto& member : members_) member->select(rows);
}

void EnsembleSession::chosen(const std::vector<int64_t>& choices) {
  for (const auto& member : members_) member->chosen(choices);
}

}  // namespace phraseq
