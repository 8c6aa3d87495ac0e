#include "core/search/sessions/named_session.h"

#include <string>
#include <utility>

#include <c10/core/ScalarType.h>
#include <fmt/format.h>

#include "core/nn/shape_text.h"
#include "core/plugin/component_call.h"

namespace phraseq {
namespace {

constexpr const char* kStep = "a step";

}  // namespace

NamedSession::NamedSession(const Component& architecture,
                           std::unique_ptr<DecodingSession> session,
                           int64_t vocabulary)
    : architecture_(architecture),
      session_(require_result(architecture, "start_decoding", std::move(session), "session")),
      vocabulary_(vocabulary) {}

StepOutput NamedSession::step(const at::Tensor& last_tokens) {
  return checked(call_component(architecture_, kStep, [&] { return session_->step(last_tokens); }),
                 last_tokens.numel());
}

DecodingStep NamedSession::step_deferred(const at::Tensor& last_tokens) {
  auto* deferring = dynamic_cast<DeferringSession*>(session_.get());
  if (deferring == nullptr)
    return {step(last_tokens)};
  DecodingStep made =
      call_component(architecture_, kStep, [&] { return deferring->step_deferred(last_tokens); });
  if (!made.deferred)
    made.output = checked(std::move(made.output), last_tokens.numel());
  return made;
}

StepOutput NamedSession::checked(StepOutput output, int64_t rows) const {
  const at::Tensor& scores = output.scores;
  const bool fits = scores.defined() && scores.dim() == 2 && scores.size(0) == rows &&
                    scores.is_floating_point() &&
                    (vocabulary_ == 0 || scores.size(1) == vocabulary_ + session_->slots());
  if (fits)
    return output;
  const std::string expected =
      vocabulary_ == 0 ? "words + slots" : std::to_string(vocabulary_ + session_->slots());
  std::string given = nn::shape_text(scores);
  if (scores.defined())
    given += fmt::format(" of type {}", at::toString(scores.scalar_type()));
  throw component_failure(
      architecture_,
      kStep,
      fmt::format("expected scores [{}, {}], real; got {}", rows, expected, given));
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
