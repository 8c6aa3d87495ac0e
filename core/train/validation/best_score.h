#pragma once

#include <cstdint>
#include <optional>

#include "core/base/api.h"

namespace phraseq {

/// The best value so far of the metric that chooses checkpoints. As in fairseq, the later of two
/// equal checkpoints becomes checkpoint_best, but a value equal to the best is no improvement, for
/// which --patience waits.
class PHRASEQ_API BestScore {
 public:
  /// `best` and `validations_without_better` are a part of the training state and outlive this.
  BestScore(bool larger_is_better,
            std::optional<double>& best,
            int64_t& validations_without_better);

  /// Takes a validation's value into account; whether it is the best so far. NaN never is, unless
  /// there is no other value yet, and is surpassed by any number.
  bool note(double value);
  bool larger_is_better() const { return larger_is_better_; }

 private:
  bool is_better(double value) const;

  bool larger_is_better_;
  std::optional<double>& best_;
  int64_t& validations_without_better_;
};

}  // namespace phraseq
