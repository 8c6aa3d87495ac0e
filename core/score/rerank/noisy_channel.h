#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq::score {

/// A translation from an n-best list with the models' scores, in natural logarithms.
struct RerankHypothesis {
  std::string text;
  std::string symbols;  ///< as the model generated it
  double forward = 0;   ///< ln p(target | source)
  double channel = 0;   ///< ln p(source | target)
  double language = 0;  ///< ln p(target)
  int64_t words = 0;    ///< number of words of the text
  int64_t tokens = 0;   ///< number of symbols
};

/// The hypotheses of one source sentence.
struct RerankList {
  int64_t id = 0;      ///< the number of the sentence, from 0 in the output of generate
  std::string source;  ///< symbols
  int64_t tokens = 0;  ///< number of source tokens
  std::vector<RerankHypothesis> hypotheses;
};

/// The weights of a combined score; the defaults are fairseq's.
struct RerankWeights {
  double weight1 = 1;  ///< of the forward model
  double weight2 = 1;  ///< of the channel model
  double weight3 = 1;  ///< of the language model
  double lenpen = 1;
  bool normalize = false;  ///< divide by the numbers of tokens first
};

/// The score of noisy-channel reranking (Yee et al. 2019, "Simple and Effective Noisy Channel
/// Modeling for Neural Machine Translation", eq. 2) as computed by fairseq 0.12.2's
/// rerank_utils.get_score:
///
///     (weight1 · forward + weight2 · channel + weight3 · language) / words^lenpen
///
/// With `normalize`, forward is divided by the number of target tokens, channel and language by the
/// number of source tokens. A text without words or tokens counts as having one.
PHRASEQ_API double rerank_score(const RerankList& list,
                                const RerankHypothesis& hypothesis,
                                const RerankWeights& weights);

/// The index of the hypothesis with the greatest score, the first among equal ones.
PHRASEQ_API size_t best_hypothesis(const RerankList& list, const RerankWeights& weights);

}  // namespace phraseq::score
