#pragma once

#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/nn/decoding_session.h"

namespace phraseq {

/// A session whose scores are divided by a temperature before the softmax: a temperature above 1
/// makes the probabilities more equal, one below 1 less equal.
class PHRASEQ_API TemperedSession final : public DecodingSession {
 public:
  TemperedSession(std::unique_ptr<DecodingSession> session, double temperature)
      : session_(std::move(session)), temperature_(temperature) {}

  int64_t rows() const override { return session_->rows(); }
  StepOutput step(const at::Tensor& last_tokens) override;
  void select(const std::vector<int64_t>& rows) override { session_->select(rows); }
  int64_t slots() const override { return session_->slots(); }
  std::vector<int64_t> expand_slot(int64_t row, int64_t slot) const override {
    return session_->expand_slot(row, slot);
  }
  void chosen(const std::vector<int64_t>& choices) override { session_->chosen(choices); }

 private:
  std::unique_ptr<DecodingSession> session_;
  double temperature_;
};

}  // namespace phraseq
