#pragma once

#include <cstdint>

#include "core/nn/kernels/kernels.h"
#include "core/nn/kernels/processor_level.h"

/// One element-wise pass over flat buffers for each optimizer: plain loops that the compiler
/// vectorizes, in float and double. `gradient_scale` multiplies each gradient as it is read;
/// `bf16`, if not null, receives the new value rounded to bfloat16 (nearest, ties to even).
namespace phraseq::kernels {

/// The numbers for one step of Adam:
///
///   m = β1 m + (1-β1) g,  v = β2 v + (1-β2) g²,  p = decay_factor · p - step · m / (√v + eps)
///
/// They are computed in double and then rounded to T. AdamStep of core/cuda/kernels/adam.cu has the
/// same fields.
template <class T>
struct AdamCoefficients {
  T beta1, rest1, beta2, rest2;  ///< rest = 1 - beta
  T decay_factor;                ///< 1 - lr · weight decay
  T step;                        ///< lr, corrected for the bias of m and v
  T eps;
};

/// The arguments of Adam's kernel.
template <class T>
struct AdamStep : AdamCoefficients<T> {
  T gradient_scale;
};

/// b = momentum · b + g,  p = p - rate · (nesterov ? g + momentum · b : b), where g includes
/// weight_decay · p (an L2 penalty).
template <class T>
struct SgdStep {
  T momentum, weight_decay, rate, gradient_scale;
  bool nesterov;
};

/// a = ρ a + (1-ρ) g²,  Δ = √(d + eps) / √(a + eps) · g,  d = ρ d + (1-ρ) Δ²,  p = p - rate · Δ,
/// where g includes weight_decay · p (an L2 penalty).
template <class T>
struct AdadeltaStep {
  T rho, rest, eps, weight_decay, rate, gradient_scale;  // rest = 1 - rho, computed in double
};

/// The kernels for one element type, float or double.
template <class T>
struct UpdateKernels {
  void (*adam)(const AdamStep<T>& by,
               int64_t size,
               T* p,
               const T* g,
               T* m,
               T* v,
               nn::kernels::Bfloat16* bf16);
  void (*sgd)(
      const SgdStep<T>& by, int64_t size, T* p, const T* g, T* b, nn::kernels::Bfloat16* bf16);
  void (*adadelta)(const AdadeltaStep<T>& by,
                   int64_t size,
                   T* p,
                   const T* g,
                   T* a,
                   T* d,
                   nn::kernels::Bfloat16* bf16);
};
PHRASEQ_DECLARE_KERNELS(UpdateKernels, update_kernels)

}  // namespace phraseq::kernels
