#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// A token that one or more hypotheses share, with a link to the token before it.
struct HypothesisNode {
  int64_t parent = -1;  ///< the previous node; -1: first of its hypothesis
  int64_t token = 0;
  double log_probability = 0;  ///< of this token
  int64_t step = 0;            ///< number of tokens before it
  int64_t row = 0;             ///< the session's row that scored it in that step
  int64_t slot = -1;           ///< the slot whose phrase generated it, -1 = none
  int64_t string = 0;          ///< its spelling, numbered as in SentenceInput::phrase_strings
};

/// Stores all hypotheses of a batch, with common beginnings stored only once: adding a token takes
/// O(1), whatever the length of the hypothesis.
class PHRASEQ_API HypothesisTree {
 public:
  /// Adds `node` after its parent, with its step filled in, and returns its place.
  int64_t add(HypothesisNode added);
  const HypothesisNode& node(int64_t place) const { return nodes_[static_cast<size_t>(place)]; }
  /// Returns the nodes from the first token to `place`; empty for -1.
  std::vector<HypothesisNode> path(int64_t place) const;
  std::vector<int64_t> tokens(int64_t place) const;
  std::vector<int64_t> strings(int64_t place) const;

 private:
  std::vector<HypothesisNode> nodes_;
};

}  // namespace phraseq
