#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/nn/decoding_session.h"
#include "core/nn/deferred_scores.h"

namespace phraseq {

/// One step's scores: all of them, or deferred ones.
struct SearchStep : StepOutput {
  SearchStep(StepOutput output = {},  // NOLINT(google-explicit-constructor)
             std::shared_ptr<const DeferredScores> deferred_scores = nullptr)
      : StepOutput(std::move(output)), deferred(std::move(deferred_scores)) {}

  /// Vocabulary and slots.
  int64_t columns() const { return deferred ? deferred->columns() : scores.size(1); }

  std::shared_ptr<const DeferredScores> deferred;  ///< null: use `scores`
};

}  // namespace phraseq
