#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/nn/decoding_session.h"
#include "core/nn/deferred_scores.h"

namespace phraseq {

/// A session that can avoid storing all scores of a step. It has no slots.
class PHRASEQ_API DeferringSession : public DecodingSession {
 public:
  /// Like `step`, but sets `deferred` and leaves StepOutput::scores undefined if the scores can be
  /// deferred. Otherwise, the scores may have the type of activations.
  virtual StepOutput step_deferred(const at::Tensor& last_tokens,
                                   std::shared_ptr<const DeferredScores>* deferred) = 0;

  /// From now on, deferred scores contain only these words of the vocabulary, one sorted list per
  /// sentence; all others are impossible. Returns whether the session supports this. `step`, and a
  /// step that does not defer, still return all scores.
  virtual bool restrict_to(const std::vector<std::vector<int64_t>>& /*candidates*/) {
    return false;
  }
};

}  // namespace phraseq
