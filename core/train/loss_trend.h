#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The training loss at the beginning and at the end of a run.
class PHRASEQ_API LossTrend {
 public:
  /// Records one update: the sum of its loss in natural logarithms, and its number of tokens.
  void note(double loss_sum, int64_t tokens);

  /// "the training loss has not fallen: 9.31 bits per token over the first 100 updates and 9.30
  /// over the last 100" if the mean of the last tenth of the updates is not at least 2 % below that
  /// of the first tenth. Empty otherwise, and for fewer than 100 updates.
  std::string finding() const;

 private:
  struct Part {
    double loss = 0;
    int64_t tokens = 0;
    double bits_per_token() const;
  };
  Part sum(size_t first, size_t count) const;
  void merge_pairs();

  std::vector<Part> parts_;  ///< of `part_updates_` updates each; the last one may be smaller
  int64_t part_updates_ = 1;
  int64_t updates_ = 0;
};

}  // namespace phraseq
