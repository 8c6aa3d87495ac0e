#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// A token of some hypotheses and the way back to the one before it.
struct HypothesisNode {
  int64_t parent = -1;  ///< -1 = first of its hypothesis
  int64_t token = 0;
  double log_probability = 0;  ///< of this token
  int64_t step = 0;            ///< number of tokens before it
  int64_t row = 0;             ///< the session's row that scored it in that step
  int64_t slot = -1;           ///< the slot whose phrase generated it, -1 = none
  int64_t string = 0;  ///< what it says (SentenceInput::phrase_strings): equal for equal strings
};

/// All hypotheses of a batch with their common beginnings stored once: growing one is O(1),
/// whatever its length.
class PHRASEQ_API HypothesisTree {
 public:
  /// Adds a token behind `parent` (-1 = at the beginning), `node` but for its step, and returns its
  /// place.
  int64_t add(HypothesisNode node);
  const HypothesisNode& node(int64_t place) const { return nodes_[static_cast<size_t>(place)]; }
  /// The nodes from the first token to `place`; empty for -1.
  std::vector<HypothesisNode> path(int64_t place) const;
  std::vector<int64_t> tokens(int64_t place) const;
  std::vector<int64_t> strings(int64_t place) const;

 private:
  std::vector<HypothesisNode> nodes_;
};

}  // namespace phraseq
