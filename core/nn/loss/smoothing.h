#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"

namespace phraseq::nn {

/// The three published ways to distribute the mass of label smoothing.
enum class Smoothing {
  kFairseq,        ///< (1-ε)·nll + (ε/V)·Σ_all(-ln p)
  kTensor2Tensor,  ///< cross entropy with q minus q's entropy, q: 1-ε gold, ε/(V-1) elsewhere
  kNeutron,  ///< KL to q: 1-ε gold, ε/(V-F) on all but gold and forbidden; Σ q ln q included
};

/// The target distribution of a cross entropy, before the vocabulary is known.
struct LabelSmoothing {
  double epsilon = 0.0;  ///< the mass of label smoothing, 0 <= ε < 1
  Smoothing smoothing = Smoothing::kFairseq;
  std::vector<int64_t> excluded = {};    ///< ids excluded from the softmax and from smoothing
  std::vector<int64_t> unsmoothed = {};  ///< ids that get no mass under kNeutron
};

/// A smoothing rule in the form that all three share. With z the logits, p their softmax, S the
/// smoothed classes and q the target distribution (Σ q = 1),
///
///   loss   = lse(z) - uniform · Σ_{c ∈ S} z_c - extra · z_gold + constant
///   dloss/dz_c = p_c - q_c,   q_c = uniform · [c ∈ S] + extra · [c = gold]
struct SmoothedTarget {
  double uniform = 0.0;
  double extra = 1.0;
  double constant = 0.0;
};

/// The numbers of one smoothing rule for a vocabulary; the numbers for a row depend only on whether
/// its gold class is smoothed.
class PHRASEQ_API SmoothingRule {
 public:
  /// Throws UsageError if an id is outside the vocabulary or ε outside [0, 1).
  SmoothingRule(const LabelSmoothing& label_smoothing, int64_t vocabulary);

  const SmoothedTarget& target(bool gold_is_smoothed) const {
    return gold_is_smoothed ? smoothed_gold_ : plain_gold_;
  }
  const std::vector<int64_t>& excluded() const { return excluded_; }
  /// The classes outside S, including the excluded ones, sorted.
  const std::vector<int64_t>& unsmoothed() const { return unsmoothed_; }

 private:
  std::vector<int64_t> excluded_;
  std::vector<int64_t> unsmoothed_;
  SmoothedTarget smoothed_gold_;
  SmoothedTarget plain_gold_;
};

}  // namespace phraseq::nn
