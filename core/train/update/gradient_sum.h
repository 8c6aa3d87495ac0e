#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/flat_parameters.h"

namespace phraseq {

/// Adds gradients of batches that are computed one after another in the parameters' buffer. A
/// single gradient is not copied.
class PHRASEQ_API GradientSum {
 public:
  /// `sum` [elements] is memory that is kept between updates; undefined at first.
  GradientSum(nn::FlatParameters& parameters, at::Tensor& sum)
      : parameters_(parameters), sum_(sum) {}

  /// The sum that the next gradient is added to; undefined before the first gradient.
  at::Tensor so_far() const { return added_ > 0 ? sum_ : at::Tensor(); }

  /// Adds the gradient that is now in the parameters' buffer.
  void add(bool is_last);
  /// Leaves the sum in the parameters' buffer, even if the last gradient was not added.
  void finish();

 private:
  nn::FlatParameters& parameters_;
  at::Tensor& sum_;
  int64_t added_ = 0;
  bool is_in_place_ = false;
};

}  // namespace phraseq
