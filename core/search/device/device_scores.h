#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/deferred_scores.h"

namespace phraseq {

/// One step's scores that stay on a GPU: the best columns are found there, and only what a search
/// needs of each row is copied, with a single wait. If more columns than needed have the same
/// score, the lower ones are taken; without phraseq's kernels, only among eight more columns than
/// needed.
class PHRASEQ_API DeviceScores final : public DeferredScores {
 public:
  /// `scores` [rows, columns]; `normalized`: they are log-probabilities already.
  DeviceScores(at::Tensor scores, bool normalized)
      : scores_(std::move(scores)), normalized_(normalized) {}

  int64_t rows() const override { return scores_.size(0); }
  int64_t columns() const override { return scores_.size(1); }
  std::vector<ScoreAnswer> answer(std::span<const ScoreQuery> queries) const override;

 private:
  /// Does the same as nn::gpu::best_columns with LibTorch's operators, in fp64.
  at::Tensor found_by_operators(const at::Tensor& asked, int64_t best) const;

  at::Tensor scores_;
  bool normalized_;
};

}  // namespace phraseq
