#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

struct ValidationOptions;
class Validator;

/// The best value so far of the metric that chooses checkpoints. As in fairseq, the later of two
/// equal checkpoints becomes checkpoint_best, but a value equal to the best does not count as an
/// improvement for --patience.
class PHRASEQ_API BestScore {
 public:
  /// `best` and `validations_without_better` are a part of the training state and must outlive the
  /// object.
  BestScore(bool larger_is_better,
            std::optional<double>& best,
            int64_t& validations_without_better);

  /// Takes a validation's value into account and returns whether it is the best so far; one that is
  /// not finite never is.
  bool note(double value);
  bool larger_is_better() const { return larger_is_better_; }

 private:
  bool is_better(double value) const;

  bool larger_is_better_;
  std::optional<double>& best_;
  int64_t& validations_without_better_;
};

/// True if a larger value is better for the metric that selects checkpoints; `validator` may be
/// null.
PHRASEQ_API bool larger_is_better(const ValidationOptions& options, const Validator* validator);

/// "loss 3.123", "bleu 23.10"; losses in base 2, as in the log.
PHRASEQ_API std::string score_text(std::string_view metric, double value);

}  // namespace phraseq
