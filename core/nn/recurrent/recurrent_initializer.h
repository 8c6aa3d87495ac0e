#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/initializer.h"

namespace phraseq::nn {

/// Initializes recurrent models as dl4mt and Tu et al. 2016 do: square matrices of states are
/// orthogonal, matrices that read coverage are small, all others are N(0, deviation²), and biases
/// are 0.
class PHRASEQ_API RecurrentInitializer {
 public:
  RecurrentInitializer(uint64_t seed, double deviation);

  void matrix(at::Tensor& weight);           ///< N(0, deviation²)
  void coverage_matrix(at::Tensor& weight);  ///< N(0, 10⁻⁶)
  /// Fills square blocks of rows, each with orthonormal rows and columns (Saxe et al. 2014).
  /// `weight` [k · n, n].
  void orthogonal(at::Tensor& weight);
  void constant(at::Tensor& tensor, double value);

 private:
  Initializer draws_;
  double deviation_;
};

}  // namespace phraseq::nn
