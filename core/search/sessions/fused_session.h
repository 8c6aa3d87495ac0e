#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/nn/decoding_session.h"

namespace phraseq {

/// Shallow fusion (Gülçehre et al. 2015, sec. 4.1): each step's scores are ln p(token) + weight ·
/// ln p_LM(token), not normalized, as in fairseq's SequenceGenerator. The language model reads the
/// same tokens as the model, including the start token.
///
/// Throws UsageError for a model with slots and, in the first step, for a language model with a
/// vocabulary of a different size.
class PHRASEQ_API FusedSession final : public DecodingSession {
 public:
  FusedSession(std::unique_ptr<DecodingSession> model,
               std::unique_ptr<DecodingSession> language_model,
               double weight);

  int64_t rows() const override { return model_->rows(); }
  StepOutput step(const at::Tensor& last_tokens) override;
  void select(const std::vector<int64_t>& rows) override;
  void chosen(const std::vector<int64_t>& choices) override;

 private:
  std::unique_ptr<DecodingSession> model_;
  std::unique_ptr<DecodingSession> language_model_;
  double weight_;
};

}  // namespace phraseq
