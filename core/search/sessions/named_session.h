#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/nn/deferring_session.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// An architecture's session: if it throws, or if a step returns scores of the wrong shape or type,
/// the error names the plugin.
class PHRASEQ_API NamedSession : public DeferringSession {
 public:
  /// `vocabulary`: DecodingRequest::vocabulary.
  NamedSession(const Component& architecture,
               std::unique_ptr<DecodingSession> session,
               int64_t vocabulary);

  int64_t rows() const override { return session_->rows(); }
  StepOutput step(const at::Tensor& last_tokens) override;
  DecodingStep step_deferred(const at::Tensor& last_tokens) override;
  bool restrict_to(const std::vector<std::vector<int64_t>>& candidates) override;
  void select(const std::vector<int64_t>& rows) override;
  int64_t slots() const override { return session_->slots(); }
  std::vector<int64_t> expand_slot(int64_t row, int64_t slot) const override;
  void chosen(const std::vector<int64_t>& choices) override;

 private:
  StepOutput checked(StepOutput output, int64_t rows) const;

  const Component& architecture_;
  std::unique_ptr<DecodingSession> session_;
  int64_t vocabulary_;
};

}  // namespace phraseq
