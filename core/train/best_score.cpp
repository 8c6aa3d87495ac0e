#include "core/train/best_score.h"

namespace phraseq {

BestScore::BestScore(bool larger_is_better,
                     std::optional<double>& best,
                     int64_t& validations_without_better)
    : larger_is_better_(larger_is_better),
      best_(best),
      validations_without_better_(validations_without_better) {}

bool BestScore::is_better(double value) const {
  if (!best_)
    return true;
  return larger_is_better_ ? value >= *best_ : value <= *best_;
}

bool BestScore::note(double value) {
  if (!is_better(value)) {
    ++validations_without_better_;
    return false;
  }
  best_ = value;
  validations_without_better_ = 0;
  return true;
}

}  // namespace phraseq
