#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Detects a model that translates most sentences identically: a sign that training was too short
/// or has failed, or that the input has a different form from the training text. Repeated sentences
/// count once.
class PHRASEQ_API RepeatedHypotheses {
 public:
  void note(const std::vector<int64_t>& source, const std::string& hypothesis);

  /// "37 of 40 different sentences have the same translation, 'Ein Mann.'" if these are more than
  /// half of at least 20; otherwise an empty string.
  std::string finding() const;

 private:
  std::unordered_set<uint64_t> sources_;
  std::unordered_map<size_t, int64_t> counts_;  ///< by hash of the hypothesis
  int64_t most_ = 0;
  std::string most_common_;
};

}  // namespace phraseq
