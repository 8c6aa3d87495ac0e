#include "core/score/rerank/weight_tuning.h"

#include <string_view>

#include "core/base/random.h"

namespace phraseq::score {
namespace {

/// The metric's statistics of every hypothesis, measured once.
class MeasuredLists {
 public:
  MeasuredLists(const std::vector<RerankList>& lists,
                const std::vector<std::string>& references,
                const Metric& metric)
      : lists_(lists), metric_(metric) {
    for (size_t i = 0; i < lists.size(); ++i) {
      rows_.emplace_back();
      const std::string_view reference = references.at(i);
      for (const RerankHypothesis& hypothesis : lists[i].hypotheses) {
        rows_.back().emplace_back(metric.statistics());
        metric.measure(hypothesis.text, {&reference, 1}, rows_.back().back());
      }
    }
  }

  /// The score of the hypotheses that the weights choose; greater is better.
  double score(const RerankWeights& weights) const {
    std::vector<double> sums(metric_.statistics());
    for (size_t i = 0; i < lists_.size(); ++i) {
      const auto& row = rows_[i][best_hypothesis(lists_[i], weights)];
      for (size_t j = 0; j < sums.size(); ++j) sums[j] += row[j];
    }
    return metric_.score(sums);
  }

 private:
  const std::vector<RerankList>& lists_;
  const Metric& metric_;
  std::vector<std::vector<std::vector<double>>> rows_;  ///< [list][hypothesis][statistic]
};

}  // namespace

TuningResult tune_weights(const std::vector<RerankList>& lists,
                          const std::vector<std::string>& references,
                          const Metric& metric,
                          const WeightSearch& search) {
  const MeasuredLists measured(lists, references, metric);
  const double sign = metric.higher_is_better() ? 1.0 : -1.0;
  Random random(search.seed);
  TuningResult best{search.start, measured.score(search.start)};
  for (int64_t trial = 1; trial < search.trials; ++trial) {
    RerankWeights weights = search.start;
    for (const TunedWeight& one : search.tuned)
      weights.*one.weight = one.lower + random.uniform() * (one.upper - one.lower);
    const double score = measured.score(weights);
    if (sign * score > sign * best.score)
      best = {weights, score};
  }
  return best;
}

}  // namespace phraseq::score
