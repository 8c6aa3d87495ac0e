#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/nn/functional/log_softmax_top_k.h"

namespace phraseq {

/// What a search wants of one row of scores.
struct ScoreQuery {
  int64_t best = 0;              ///< how many of the best columns
  std::vector<int64_t> columns;  ///< whose scores it wants besides; those are not among the best
  bool needs_normalizer = true;  ///< without, 0 will do for one that is a number

  /// Leaves the best columns, best first, but those that the query names.
  void keep_best_unnamed(std::vector<RankedColumn>& found) const {
    std::erase_if(found, [this](const RankedColumn& one) {
      return std::find(columns.begin(), columns.end(), one.column) != columns.end();
    });
    keep_best(found, best);
  }
};

struct ScoreAnswer {
  double normalizer = 0;           ///< ln Σ e^score, as log_sum_exp
  std::vector<RankedColumn> best;  ///< scores, not normalized; none at -infinity; best first
  std::vector<double> scores;      ///< scores of the query's columns
};

/// One step's scores, computed piece by piece when they are asked for.
class PHRASEQ_API DeferredScores {
 public:
  virtual ~DeferredScores() = default;
  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
  /// One answer for each query; a row of the scores for each. Where the normalizer is NaN, the rest
  /// of an answer is of no use.
  virtual std::vector<ScoreAnswer> answer(std::span<const ScoreQuery> queries) const = 0;
};

}  // namespace phraseq
