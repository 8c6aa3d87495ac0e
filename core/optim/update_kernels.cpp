#include "core/optim/update_kernels.h"

#include <bit>
#include <cmath>

#include "core/nn/kernels/vector_clones.h"

namespace phraseq::kernels {
namespace {

PHRASEQ_INLINE uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto rounded = static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
  return value != value ? uint16_t{0x7fc0} : rounded;
}

template <class T>
PHRASEQ_INLINE void adam_loop(const AdamStep<T>& by,
                              int64_t size,
                              T* __restrict p,
                              const T* __restrict g,
                              T* __restrict m,
                              T* __restrict v,
                              uint16_t* __restrict bf16) {
  for (int64_t i = 0; i < size; ++i) {
    const T gradient = by.gradient_scale * g[i];
    const T mean = by.beta1 * m[i] + by.rest1 * gradient;
    const T square = by.beta2 * v[i] + by.rest2 * gradient * gradient;
    m[i] = mean;
    v[i] = square;
    p[i] = by.decay * p[i] - by.step * mean / (std::sqrt(square) + by.eps);
    if (bf16 != nullptr)
      bf16[i] = to_bf16(static_cast<float>(p[i]));
  }
}

template <class T>
PHRASEQ_INLINE void sgd_loop(const SgdStep<T>& by,
                             int64_t size,
                             T* __restrict p,
                             const T* __restrict g,
                             T* __restrict b,
                             uint16_t* __restrict bf16) {
  for (int64_t i = 0; i < size; ++i) {
    const T gradient = by.gradient_scale * g[i] + by.decay * p[i];
    const T momentum = by.momentum * b[i] + gradient;
    b[i] = momentum;
    p[i] -= by.rate * (by.nesterov ? gradient + by.momentum * momentum : momentum);
    if (bf16 != nullptr)
      bf16[i] = to_bf16(static_cast<float>(p[i]));
  }
}

template <class T>
PHRASEQ_INLINE void adadelta_loop(const AdadeltaStep<T>& by,
                                  int64_t size,
                                  T* __restrict p,
                                  const T* __restrict g,
                                  T* __restrict a,
                                  T* __restrict d,
                                  uint16_t* __restrict bf16) {
  for (int64_t i = 0; i < size; ++i) {
    const T gradient = by.gradient_scale * g[i] + by.decay * p[i];
    const T square = by.rho * a[i] + by.rest * gradient * gradient;
    const T delta = std::sqrt(d[i] + by.eps) / std::sqrt(square + by.eps) * gradient;
    a[i] = square;
    d[i] = by.rho * d[i] + by.rest * delta * delta;
    p[i] -= by.rate * delta;
    if (bf16 != nullptr)
      bf16[i] = to_bf16(static_cast<float>(p[i]));
  }
}

}  // namespace

// The branches give the compiler a loop without the copy and one with it.

PHRASEQ_VECTOR_CLONES void adam(const AdamStep<float>& by,
                                int64_t size,
                                float* p,
                                const float* g,
                                float* m,
                                float* v,
                                uint16_t* bf16) {
  bf16 == nullptr ? adam_loop(by, size, p, g, m, v, nullptr)
                  : adam_loop(by, size, p, g, m, v, bf16);
}

PHRASEQ_VECTOR_CLONES void adam(const AdamStep<double>& by,
                                int64_t size,
                                double* p,
                                const double* g,
                                double* m,
                                double* v,
                                uint16_t* bf16) {
  bf16 == nullptr ? adam_loop(by, size, p, g, m, v, nullptr)
                  : adam_loop(by, size, p, g, m, v, bf16);
}

PHRASEQ_VECTOR_CLONES void sgd(
    const SgdStep<float>& by, int64_t size, float* p, const float* g, float* b, uint16_t* bf16) {
  bf16 == nullptr ? sgd_loop(by, size, p, g, b, nullptr) : sgd_loop(by, size, p, g, b, bf16);
}

PHRASEQ_VECTOR_CLONES void sgd(const SgdStep<double>& by,
                               int64_t size,
                               double* p,
                               const double* g,
                               double* b,
                               uint16_t* bf16) {
  bf16 == nullptr ? sgd_loop(by, size, p, g, b, nullptr) : sgd_loop(by, size, p, g, b, bf16);
}

PHRASEQ_VECTOR_CLONES void adadelta(const AdadeltaStep<float>& by,
                                    int64_t size,
                                    float* p,
                                    const float* g,
                                    float* a,
                                    float* d,
                                    uint16_t* bf16) {
  bf16 == nullptr ? adadelta_loop(by, size, p, g, a, d, nullptr)
                  : adadelta_loop(by, size, p, g, a, d, bf16);
}

PHRASEQ_VECTOR_CLONES void adadelta(const AdadeltaStep<double>& by,
                                    int64_t size,
                                    double* p,
                                    const double* g,
                                    double* a,
                                    double* d,
                                    uint16_t* bf16) {
  bf16 == nullptr ? adadelta_loop(by, size, p, g, a, d, nullptr)
                  : adadelta_loop(by, size, p, g, a, d, bf16);
}

}  // namespace phraseq::kernels
