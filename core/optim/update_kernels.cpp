#include "core/optim/update_kernels.h"

#include <cmath>

#include "core/nn/kernels/arithmetic.h"

namespace phraseq::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

using nn::kernels::Bfloat16;
using nn::kernels::store;

template <class T>
PHRASEQ_INLINE void adam_loop(const AdamStep<T>& by,
                              int64_t size,
                              T* __restrict p,
                              const T* __restrict g,
                              T* __restrict m,
                              T* __restrict v,
                              Bfloat16* __restrict bf16) {
  for (int64_t i = 0; i < size; ++i) {
    const T gradient = by.gradient_scale * g[i];
    const T mean = by.beta1 * m[i] + by.rest1 * gradient;
    const T square = by.beta2 * v[i] + by.rest2 * gradient * gradient;
    m[i] = mean;
    v[i] = square;
    p[i] = by.decay_factor * p[i] - by.step * mean / (std::sqrt(square) + by.eps);
    if (bf16 != nullptr)
      store(bf16 + i, static_cast<float>(p[i]));
  }
}

template <class T>
PHRASEQ_INLINE void sgd_loop(const SgdStep<T>& by,
                             int64_t size,
                             T* __restrict p,
                             const T* __restrict g,
                             T* __restrict b,
                             Bfloat16* __restrict bf16) {
  for (int64_t i = 0; i < size; ++i) {
    const T gradient = by.gradient_scale * g[i] + by.weight_decay * p[i];
    const T momentum = by.momentum * b[i] + gradient;
    b[i] = momentum;
    p[i] -= by.rate * (by.nesterov ? gradient + by.momentum * momentum : momentum);
    if (bf16 != nullptr)
      store(bf16 + i, static_cast<float>(p[i]));
  }
}

template <class T>
PHRASEQ_INLINE void adadelta_loop(const AdadeltaStep<T>& by,
                                  int64_t size,
                                  T* __restrict p,
                                  const T* __restrict g,
                                  T* __restrict a,
                                  T* __restrict d,
                                  Bfloat16* __restrict bf16) {
  for (int64_t i = 0; i < size; ++i) {
    const T gradient = by.gradient_scale * g[i] + by.weight_decay * p[i];
    const T square = by.rho * a[i] + by.rest * gradient * gradient;
    const T delta = std::sqrt(d[i] + by.eps) / std::sqrt(square + by.eps) * gradient;
    a[i] = square;
    d[i] = by.rho * d[i] + by.rest * delta * delta;
    p[i] -= by.rate * delta;
    if (bf16 != nullptr)
      store(bf16 + i, static_cast<float>(p[i]));
  }
}

// With the two branches, the compiler makes one loop without the copy and one with it.

template <class T>
void adam(const AdamStep<T>& by, int64_t size, T* p, const T* g, T* m, T* v, Bfloat16* bf16) {
  bf16 == nullptr ? adam_loop(by, size, p, g, m, v, nullptr)
                  : adam_loop(by, size, p, g, m, v, bf16);
}

template <class T>
void sgd(const SgdStep<T>& by, int64_t size, T* p, const T* g, T* b, Bfloat16* bf16) {
  bf16 == nullptr ? sgd_loop(by, size, p, g, b, nullptr) : sgd_loop(by, size, p, g, b, bf16);
}

template <class T>
void adadelta(
    const AdadeltaStep<T>& by, int64_t size, T* p, const T* g, T* a, T* d, Bfloat16* bf16) {
  bf16 == nullptr ? adadelta_loop(by, size, p, g, a, d, nullptr)
                  : adadelta_loop(by, size, p, g, a, d, bf16);
}

}  // namespace

template <class T>
const UpdateKernels<T>& update_kernels() {
  static constexpr UpdateKernels<T> kTable{adam<T>, sgd<T>, adadelta<T>};
  return kTable;
}
template const UpdateKernels<float>& update_kernels();
template const UpdateKernels<double>& update_kernels();

}  // namespace phraseq::kernels::PHRASEQ_KERNEL_LEVEL
