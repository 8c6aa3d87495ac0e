#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/nn/architecture.h"
#include "core/nn/deferred_scores.h"

namespace phraseq::nn {

struct CandidateMatrix;

/// The output matrix of each sentence of a batch, with nothing but the words that the sentence may
/// be translated with (a shortlist). A sentence's rows are multiplied with its own matrix: the work
/// is that of its words, and results do not depend on the other sentences.
class PHRASEQ_API CandidateScores {
 public:
  /// `candidates`: of each sentence, column numbers of the output matrix, sorted, each once.
  explicit CandidateScores(std::vector<std::vector<int64_t>> candidates);
  ~CandidateScores();

  /// The logits of `output` as deferred scores, in which all other words are impossible: they have
  /// the score -infinity and no share in the normalizer. `sentences` [rows] says whose each row is.
  /// Null where the output matrix is not packed (pack_weights).
  std::shared_ptr<const DeferredScores> of(const DecoderOutput& output,
                                           const std::vector<int64_t>& sentences);

 private:
  std::vector<std::vector<int64_t>> candidates_;  ///< of the sentences without a matrix
  std::vector<std::shared_ptr<const CandidateMatrix>> matrices_;  ///< null until they are needed
};

}  // namespace phraseq::nn
