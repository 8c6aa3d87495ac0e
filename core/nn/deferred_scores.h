#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/nn/functional/log_softmax_top_k.h"

namespace phraseq {

/// A search's request for one row of scores.
struct ScoreQuery {
  int64_t best = 0;              ///< how many of the best columns
  std::vector<int64_t> columns;  ///< also requested; they do not count among the best
  bool needs_normalizer = true;  ///< if false, any normalizer except NaN may be replaced with 0

  /// Keeps the best columns, best first, without those in `columns`.
  void keep_best_unnamed(std::vector<RankedColumn>& found) const {
    std::erase_if(found, [this](const RankedColumn& one) {
      return std::find(columns.begin(), columns.end(), one.column) != columns.end();
    });
    keep_best(found, best);
  }
};

/// The answer to a ScoreQuery.
struct ScoreAnswer {
  double normalizer = 0;           ///< ln Σ e^score, as by log_sum_exp
  std::vector<RankedColumn> best;  ///< with scores as `log_probability`, not normalized; none at
                                   ///< -infinity; best first
  std::vector<double> scores;      ///< scores of the query's columns
};

/// One step's scores, computed piece by piece on request.
class PHRASEQ_API DeferredScores {
 public:
  virtual ~DeferredScores() = default;
  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
  /// Answers one query for each row of scores. If a normalizer is NaN, the rest of its answer is
  /// meaningless.
  virtual std::vector<ScoreAnswer> answer(std::span<const ScoreQuery> queries) const = 0;
};

}  // namespace phraseq
