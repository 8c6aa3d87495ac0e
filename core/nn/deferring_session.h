#pragma once

#include <memory>

#include "core/nn/decoding_session.h"
#include "core/nn/deferred_scores.h"

namespace phraseq {

/// A session that need not write all scores of a step down. Without slots.
class PHRASEQ_API DeferringSession : public DecodingSession {
 public:
  /// As `step`; sets `deferred` and leaves StepOutput::scores undefined where the scores can be
  /// deferred.
  virtual StepOutput step_deferred(const at::Tensor& last_tokens,
                                   std::shared_ptr<const DeferredScores>* deferred) = 0;
};

}  // namespace phraseq
