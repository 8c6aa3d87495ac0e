#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/nn/decoding_session.h"
#include "core/nn/deferred_scores.h"

namespace phraseq {

/// One step's scores: all of them, or deferred ones.
struct DecodingStep {
  StepOutput output = {};
  std::shared_ptr<const DeferredScores> deferred = nullptr;  ///< null: use `output.scores`

  /// Vocabulary and slots.
  int64_t columns() const { return deferred ? deferred->columns() : output.scores.size(1); }
};

/// A session that can avoid storing all scores of a step. It has no slots.
class PHRASEQ_API DeferringSession : public DecodingSession {
 public:
  /// Like `step`, but leaves StepOutput::scores undefined if the scores can be deferred. Otherwise,
  /// the scores may have the type of activations.
  virtual DecodingStep step_deferred(const at::Tensor& last_tokens) = 0;

  /// From now on, deferred scores contain only these words of the vocabulary, one sorted list per
  /// sentence; all others are impossible. Returns whether the session supports this. `step`, and a
  /// step that does not defer, still return all scores.
  virtual bool restrict_to(const std::vector<std::vector<int64_t>>& /*candidates*/) {
    return false;
  }
};

}  // namespace phraseq
