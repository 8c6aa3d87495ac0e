#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/initializer.h"

namespace phraseq::nn {

/// Draws the first parameters of recurrent models as dl4mt and Tu et al. 2016 do: square matrices
/// of states are orthogonal, those that read coverage small, all others N(0, deviation²), and
/// biases 0.
class PHRASEQ_API RecurrentInitializer {
 public:
  RecurrentInitializer(uint64_t seed, double deviation);

  void matrix(at::Tensor& weight);           ///< N(0, deviation²)
  void coverage_matrix(at::Tensor& weight);  ///< N(0, 10⁻⁶)
  /// Square blocks of rows, each with orthonormal rows and columns (Saxe et al. 2014).
  /// `weight` [k · n, n].
  void orthogonal(at::Tensor& weight);
  void constant(at::Tensor& tensor, double value);

 private:
  Initializer draws_;
  double deviation_;
};

}  // namespace phraseq::nn
