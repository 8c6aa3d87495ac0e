#pragma once

#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/nn/decoding_session.h"

namespace phraseq {

/// An ensemble that decodes as one model: averages the members' probabilities and attention.
///
/// Throws UsageError for models with slots and, in the first step, for vocabularies of different
/// sizes.
class PHRASEQ_API EnsembleSession : public DecodingSession {
 public:
  explicit EnsembleSession(std::vector<std::unique_ptr<DecodingSession>> members);

  int64_t rows() const override { return members_.front()->rows(); }
  StepOutput step(const at::Tensor& last_tokens) override;
  void select(const std::vector<int64_t>& rows) override;
  void chosen(const std::vector<int64_t>& choices) override;

 private:
  std::vector<std::unique_ptr<DecodingSession>> members_;
};

}  // namespace phraseq
