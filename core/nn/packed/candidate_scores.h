#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/nn/architecture.h"
#include "core/nn/deferred_scores.h"

namespace phraseq::nn {

struct CandidateMatrix;

/// The output matrix of each sentence of a batch, restricted to the words that may be used to
/// translate it (a shortlist). A sentence's rows are multiplied by its own matrix: the cost depends
/// only on its words, and results do not depend on the other sentences.
class PHRASEQ_API CandidateScores {
 public:
  /// `candidates`: for each sentence, sorted and distinct column numbers of the output matrix.
  explicit CandidateScores(std::vector<std::vector<int64_t>> candidates);
  ~CandidateScores();

  /// The logits of `output` as deferred scores, in which all other words are impossible: they have
  /// the score -infinity and do not contribute to the normalizer. `sentences` [rows] is the
  /// sentence of each row. Null if the output matrix is not packed (pack_weights).
  std::shared_ptr<const DeferredScores> of(const DecoderOutput& output,
                                           const std::vector<int64_t>& sentences);

 private:
  std::vector<std::vector<int64_t>> candidates_;  ///< of the sentences without a matrix
  std::vector<std::shared_ptr<const CandidateMatrix>> matrices_;  ///< null until needed
};

}  // namespace phraseq::nn
