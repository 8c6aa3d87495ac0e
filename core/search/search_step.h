#pragma once

#include <cstdint>
#include <memory>

#include "core/nn/decoding_session.h"
#include "core/nn/deferred_scores.h"

namespace phraseq {

/// One step's scores: all of them, or deferred ones.
struct SearchStep {
  StepOutput output = {};
  std::shared_ptr<const DeferredScores> deferred = nullptr;  ///< null: use `output.scores`

  /// Vocabulary and slots.
  int64_t columns() const { return deferred ? deferred->columns() : output.scores.size(1); }
};

}  // namespace phraseq
