#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

// Layer normalization (Ba et al. 2016) with the operations before it in a post-norm sub-layer.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// The mean of a row and the reciprocal of its standard deviation.
template <typename S>
struct Moments {
  S mean, rstd;
};

/// Stores h of the row whose first element has the number `start` in the scratch memory.
template <typename T>
PHRASEQ_INLINE void sum_row(const NormRows<T>& in, int64_t start) {
  using S = Sum<T>;
  const int64_t columns = in.rows.columns;
  const Dropout dropout = in.dropout;
  const T* x = in.x + start;
  S* h = in.scratch;
  if (dropout.key != 0) {
    const auto element = static_cast<uint32_t>(start);
#pragma GCC ivdep
    for (int64_t i = 0; i < columns; ++i)
      h[i] = load(x[i]) * dropout_factor<S>(dropout, element + static_cast<uint32_t>(i));
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < columns; ++i) h[i] = load(x[i]);
  }
  if (!in.residual)
    return;
  const T* residual = in.residual + start;
#pragma GCC ivdep
  for (int64_t i = 0; i < columns; ++i) h[i] += load(residual[i]);
}

template <typename S>
PHRASEQ_INLINE Moments<S> moments_of(const S* h, int64_t columns, S eps) {
  const S share = S{1} / static_cast<S>(columns);
  S sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < columns; ++i) sum += h[i];
  const S mean = sum * share;
  S squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < columns; ++i) squares += (h[i] - mean) * (h[i] - mean);
  return {mean, S{1} / std::sqrt(squares * share + eps)};
}

template <typename T>
void dropout_add_norm(const NormRows<T>& in, const Sum<T>* bias, double eps, T* y) {
  using S = Sum<T>;
  const int64_t columns = in.rows.columns;
  const S *h = in.scratch, *gain = in.gain;
  for (int64_t row = in.rows.first; row < in.rows.last; ++row) {
    const int64_t start = row * columns;
    sum_row(in, start);
    const Moments<S> moments = moments_of(h, columns, static_cast<S>(eps));
    T* out = y + start;
#pragma GCC ivdep
    for (int64_t i = 0; i < columns; ++i)
      store(out + i, (h[i] - moments.mean) * moments.rstd * gain[i] + bias[i]);
    in.mean[row] = moments.mean;
    in.rstd[row] = moments.rstd;
  }
}

/// The means over a row of g and of g · n.
template <typename S>
struct GradientMeans {
  S g, product;
};

/// Replaces h in the scratch memory by n, and adds to the gradients of gain and bias.
template <typename T>
PHRASEQ_INLINE GradientMeans<Sum<T>> add_parameter_gradients(const NormRows<T>& in,
                                                             const T* dy,
                                                             const Moments<Sum<T>>& moments,
                                                             const NormGradients<T>& gradients) {
  using S = Sum<T>;
  const int64_t columns = in.rows.columns;
  const S* gain = in.gain;
  S *n = in.scratch, *d_gain = gradients.d_gain, *d_bias = gradients.d_bias;
  S sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
  for (int64_t i = 0; i < columns; ++i) {
    const S normal = (n[i] - moments.mean) * moments.rstd;
    const S d = load(dy[i]);
    n[i] = normal;
    d_gain[i] += d * normal;
    d_bias[i] += d;
    sum += d * gain[i];
    product += d * gain[i] * normal;
  }
  const S share = S{1} / static_cast<S>(columns);
  return {sum * share, product * share};
}

template <typename T>
void dropout_add_norm_backward(const NormRows<T>& in,
                               const T* dy,
                               const NormGradients<T>& gradients) {
  using S = Sum<T>;
  const int64_t columns = in.rows.columns;
  const Dropout dropout = in.dropout;
  const S *n = in.scratch, *gain = in.gain;
  for (int64_t row = in.rows.first; row < in.rows.last; ++row) {
    const int64_t start = row * columns;
    sum_row(in, start);
    const T* dy_row = dy + start;
    const S scale = in.rstd[row];
    const auto mean = add_parameter_gradients(in, dy_row, {in.mean[row], scale}, gradients);
    const auto dh = [&](int64_t i) __attribute__((always_inline)) {
      return scale * (load(dy_row[i]) * gain[i] - mean.g - n[i] * mean.product);
    };
    T* out = gradients.d_residual + start;
    if (gradients.dx && dropout.key != 0) {
      T* dropped = gradients.dx + start;
      const auto element = static_cast<uint32_t>(start);
#pragma GCC ivdep
      for (int64_t i = 0; i < columns; ++i) {
        const S value = dh(i);
        store(out + i, value);
        store(dropped + i, value * dropout_factor<S>(dropout, element + static_cast<uint32_t>(i)));
      }
    } else {
#pragma GCC ivdep
      for (int64_t i = 0; i < columns; ++i) store(out + i, dh(i));
    }
  }
}

}  // namespace

template <typename T>
void add_norm_kernels(Kernels<T>& kernels) {
  kernels.dropout_add_norm = dropout_add_norm<T>;
  kernels.dropout_add_norm_backward = dropout_add_norm_backward<T>;
}

PHRASEQ_INSTANTIATE(add_norm_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
