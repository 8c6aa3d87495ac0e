#include "core/train/update/gradient_sum.h"

namespace phraseq {

void GradientSum::add(bool is_last) {
  at::Tensor& gradients = parameters_.gradients();  // [elements]
  if (added_++ > 0) {
    (is_last ? gradients : sum_).add_(is_last ? sum_ : gradients);
  } else if (!is_last) {
    sum_ = sum_.defined() ? sum_.copy_(gradients) : gradients.clone();
  }
  is_in_place_ = is_last;
}

void GradientSum::finish() {
  if (is_in_place_)
    return;
  if (added_ == 0)
    return parameters_.zero_gradients();
  parameters_.gradients().copy_(sum_);
}

}  // namespace phraseq
