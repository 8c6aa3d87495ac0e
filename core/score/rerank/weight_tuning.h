#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/metrics/metric.h"
#include "core/score/rerank/noisy_channel.h"

namespace phraseq::score {

/// A member of RerankWeights that is tuned, and its range.
struct TunedWeight {
  double RerankWeights::*weight = nullptr;
  double lower = 0;
  double upper = 0;
};

/// The weights to search, and the number of trials.
struct WeightSearch {
  RerankWeights start;             ///< the first trial, and the weights that are not tuned
  std::vector<TunedWeight> tuned;  ///< drawn in every other trial
  int64_t trials = 0;
  uint64_t seed = 0;
};

/// The best weights, and the score that they achieve.
struct TuningResult {
  RerankWeights weights;
  double score = 0;  ///< by the metric
};

/// Random search like fairseq's rerank_tune: draws weights uniformly from their ranges and returns
/// those whose best hypotheses score best against the references (one for each list). The result
/// depends only on the arguments.
PHRASEQ_API TuningResult tune_weights(const std::vector<RerankList>& lists,
                                      const std::vector<std::string>& references,
                                      const Metric& metric,
                                      const WeightSearch& search);

}  // namespace phraseq::score
