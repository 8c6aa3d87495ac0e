#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

// Layer normalization (Ba et al. 2016) with what stands before it in a post-norm sub-layer.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// Computes scratch = residual + dropout(x) for the row whose first element is number `start`.
template <typename T>
PHRASEQ_INLINE void sum_row(const T* x,
                            const T* residual,
                            Sum<T>* scratch,
                            int64_t start,
                            int64_t columns,
                            const Dropout& dropout) {
  using S = Sum<T>;
  const T* in = x + start;
  const auto element = static_cast<uint32_t>(start);
  if (dropout.key != 0) {
#pragma GCC ivdep
    for (int64_t i = 0; i < columns; ++i) {
      scratch[i] = load(in[i]) * dropout_factor<S>(dropout, element + static_cast<uint32_t>(i));
    }
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < columns; ++i) scratch[i] = load(in[i]);
  }
  if (!residual)
    return;
  const T* add = residual + start;
#pragma GCC ivdep
  for (int64_t i = 0; i < columns; ++i) scratch[i] += load(add[i]);
}

template <typename T>
void dropout_add_norm(const T* x,
                      const T* residual,
                      const Sum<T>* gain,
                      const Sum<T>* bias,
                      T* y,
                      Sum<T>* mean,
                      Sum<T>* rstd,
                      Sum<T>* scratch,
                      double eps,
                      RowRange rows,
                      Dropout dropout) {
  using S = Sum<T>;
  const S share = S{1} / static_cast<S>(rows.columns);
  for (int64_t row = rows.first; row < rows.last; ++row) {
    const int64_t start = row * rows.columns;
    sum_row(x, residual, scratch, start, rows.columns, dropout);
    S sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < rows.columns; ++i) sum += scratch[i];
    const S center = sum * share;
    S squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 0; i < rows.columns; ++i) {
      squares += (scratch[i] - center) * (scratch[i] - center);
    }
    const S scale = S{1} / std::sqrt(squares * share + static_cast<S>(eps));
    T* out = y + start;
#pragma GCC ivdep
    for (int64_t i = 0; i < rows.columns; ++i) {
      store(out + i, (scratch[i] - center) * scale * gain[i] + bias[i]);
    }
    mean[row] = center;
    rstd[row] = scale;
  }
}

template <typename T>
void dropout_add_norm_backward(const T* dy,
                               const T* x,
                               const T* residual,
                               const Sum<T>* gain,
                               const Sum<T>* mean,
                               const Sum<T>* rstd,
                               T* dx,
                               T* d_residual,
                               Sum<T>* d_gain,
                               Sum<T>* d_bias,
                               Sum<T>* scratch,
                               RowRange rows,
                               Dropout dropout) {
  using S = Sum<T>;
  const S share = S{1} / static_cast<S>(rows.columns);
  for (int64_t row = rows.first; row < rows.last; ++row) {
    const int64_t start = row * rows.columns;
    sum_row(x, residual, scratch, start, rows.columns, dropout);
    const T* dy_row = dy + start;
    const S center = mean[row], scale = rstd[row];
    S sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
    for (int64_t i = 0; i < rows.columns; ++i) {
      const S normal = (scratch[i] - center) * scale;
      const S g = load(dy_row[i]);
      scratch[i] = normal;
      d_gain[i] += g * normal;
      d_bias[i] += g;
      sum += g * gain[i];
      product += g * gain[i] * normal;
    }
    const S mean_dy = sum * share, mean_dy_xhat = product * share;
    T* out = d_residual + start;
    if (dx && dropout.key != 0) {
      T* dropped = dx + start;
      const auto element = static_cast<uint32_t>(start);
#pragma GCC ivdep
      for (int64_t i = 0; i < rows.columns; ++i) {
        const S value = scale * (load(dy_row[i]) * gain[i] - mean_dy - scratch[i] * mean_dy_xhat);
        store(out + i, value);
        store(dropped + i, value * dropout_factor<S>(dropout, element + static_cast<uint32_t>(i)));
      }
    } else {
#pragma GCC ivdep
      for (int64_t i = 0; i < rows.columns; ++i) {
        store(out + i, scale * (load(dy_row[i]) * gain[i] - mean_dy - scratch[i] * mean_dy_xhat));
      }
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
