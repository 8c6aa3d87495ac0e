#include "core/score/rerank/noisy_channel.h"

#include <algorithm>
#include <cmath>

namespace phraseq::score {
namespace {

double at_least_one(int64_t count) { return static_cast<double>(std::max<int64_t>(1, count)); }

}  // namespace

double rerank_score(const RerankList& list,
                    const RerankHypothesis& hypothesis,
                    const RerankWeights& weights) {
  const double target = weights.normalize ? at_least_one(hypothesis.tokens) : 1.0;
  const double source = weights.normalize ? at_least_one(list.tokens) : 1.0;
  const double sum = weights.weight1 * hypothesis.forward / target +
                     weights.weight2 * hypothesis.channel / source +
                     weights.weight3 * hypothesis.language / source;
  return sum / std::pow(at_least_one(hypothesis.words), weights.lenpen);
}

size_t best_hypothesis(const RerankList& list, const RerankWeights& weights) {
  size_t best = 0;
  double highest = rerank_score(list, list.hypotheses.at(0), weights);
  for (size_t i = 1; i < list.hypotheses.size(); ++i) {
    const double score = rerank_score(list, list.hypotheses[i], weights);
    if (score > highest) {
      best = i;
      highest = score;
    }
  }
  return best;
}

}  // namespace phraseq::score
