#include "core/search/sessions/named_session.h"

#include <utility>

#include "core/plugin/component_call.h"

namespace phraseq {

NamedSession::NamedSession(const Component& architecture, std::unique_ptr<DecodingSession> session)
    : architecture_(architecture), session_(std::move(session)) {}

StepOutput NamedSession::step(const at::Tensor& last_tokens) {
  return call_component(architecture_, "a step", [&] { return session_->step(last_tokens); });
}

StepOutput NamedSession::step_deferred(const at::Tensor& last_tokens,
                                       std::shared_ptr<const DeferredScores>* deferred) {
  auto* deferring = dynamic_cast<DeferringSession*>(session_.get());
  if (deferring == nullptr)
    return step(last_tokens);
  return call_component(
      architecture_, "a step", [&] { return deferring->step_deferred(last_tokens, deferred); });
}

bool NamedSession::restrict_to(const std::vector<std::vector<int64_t>>& candidates) {
  auto* deferring = dynamic_cast<DeferringSession*>(session_.get());
  if (deferring == nullptr)
    return false;
  return call_component(
      architecture_, "restrict_to", [&] { return deferring->restrict_to(candidates); });
}

void NamedSession::select(const std::vector<int64_t>& rows) {
  call_component(architecture_, "select", [&] { session_->select(rows); });
}

std::vector<int64_t> NamedSession::expand_slot(int64_t row, int64_t slot) const {
  return call_component(
      architecture_, "expand_slot", [&] { return session_->expand_slot(row, slot); });
}

void NamedSession::chosen(const std::vector<int64_t>& choices) {
  call_component(architecture_, "chosen", [&] { session_->chosen(choices); });
}

}  // namespace phraseq
