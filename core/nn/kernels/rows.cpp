#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

// Element-wise passes over rows: what stands around matrix products.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

template <Curve curve, typename S>
PHRASEQ_INLINE S bend(S x) {
  if constexpr (curve == Curve::kRelu)
    return x > S{0} ? x : S{0};
  if constexpr (curve == Curve::kGelu)
    return S{0.5} * x * (S{1} + error_function(x * S(0.70710678118654752440)));
  if constexpr (curve == Curve::kSwish)
    return x / (S{1} + exponential(-x));
  if constexpr (curve == Curve::kSigmoid)
    return S{1} / (S{1} + exponential(-x));
  return x;
}

/// The derivative at `kept`: the output for kRelu and kSigmoid, the input for the others.
template <Curve curve, typename S>
PHRASEQ_INLINE S slope(S kept) {
  if constexpr (curve == Curve::kRelu)
    return kept > S{0} ? S{1} : S{0};
  if constexpr (curve == Curve::kGelu) {
    const S density = S(0.39894228040143267794) * exponential(S{-0.5} * kept * kept);
    return S{0.5} * (S{1} + error_function(kept * S(0.70710678118654752440))) + kept * density;
  }
  if constexpr (curve == Curve::kSwish) {
    const S sigmoid = S{1} / (S{1} + exponential(-kept));
    return sigmoid * (S{1} + kept * (S{1} - sigmoid));
  }
  if constexpr (curve == Curve::kSigmoid)
    return kept * (S{1} - kept);
  return S{1};
}

template <Curve curve, bool drop, typename T>
void forward_rows(const T* x, const Sum<T>* bias, T* y, RowRange rows, Dropout dropout) {
  using S = Sum<T>;
  for (int64_t row = rows.first; row < rows.last; ++row) {
    const T* in = x + row * rows.columns;
    T* out = y + row * rows.columns;
    const auto element = static_cast<uint32_t>(row * rows.columns);
#pragma GCC ivdep
    for (int64_t i = 0; i < rows.columns; ++i) {
      S value = bend<curve>(load(in[i]) + bias[i]);
      if constexpr (drop)
        value *= dropout_factor<S>(dropout, element + static_cast<uint32_t>(i));
      store(out + i, value);
    }
  }
}

template <Curve curve, bool drop, typename T>
void backward_rows(
    const T* dy, const T* kept, T* dx, Sum<T>* d_bias, RowRange rows, Dropout dropout) {
  using S = Sum<T>;
  const auto keep = static_cast<S>(1.0 / dropout.scale);
  for (int64_t row = rows.first; row < rows.last; ++row) {
    const int64_t start = row * rows.columns;
    const T *up = dy + start, *at = kept + start;
    T* out = dx + start;
    const auto element = static_cast<uint32_t>(start);
#pragma GCC ivdep
    for (int64_t i = 0; i < rows.columns; ++i) {
      S value = load(up[i]);
      // What was kept of kSigmoid was scaled by its dropout; where it was dropped, all is 0.
      constexpr bool scaled = drop && curve == Curve::kSigmoid;
      if constexpr (curve != Curve::kNone)
        value *= slope<curve>(scaled ? load(at[i]) * keep : load(at[i]));
      // A dropped output of kRelu is 0 already: its slope is.
      if constexpr (drop && curve == Curve::kRelu)
        value *= static_cast<S>(dropout.scale);
      if constexpr (drop && curve != Curve::kRelu) {
        value *= dropout_factor<S>(dropout, element + static_cast<uint32_t>(i));
      }
      store(out + i, value);
      d_bias[i] += value;
    }
  }
}

/// Calls `work` with the curve and whether to drop as constants.
template <typename Work>
PHRASEQ_INLINE void specialize(Curve curve, bool drop, Work&& work) {
  const auto with_curve = [&]<Curve c>() __attribute__((always_inline)) {
    drop ? work.template operator()<c, true>() : work.template operator()<c, false>();
  };
  switch (curve) {
    case Curve::kNone:
      return with_curve.template operator()<Curve::kNone>();
    case Curve::kRelu:
      return with_curve.template operator()<Curve::kRelu>();
    case Curve::kGelu:
      return with_curve.template operator()<Curve::kGelu>();
    case Curve::kSwish:
      return with_curve.template operator()<Curve::kSwish>();
    case Curve::kSigmoid:
      return with_curve.template operator()<Curve::kSigmoid>();
  }
}

template <typename T>
void bias_curve_dropout(
    const T* x, const Sum<T>* bias, T* y, RowRange rows, Curve curve, Dropout dropout) {
  specialize(curve, dropout.key != 0, [&]<Curve c, bool drop>() {
    forward_rows<c, drop>(x, bias, y, rows, dropout);
  });
}

template <typename T>
void bias_curve_dropout_backward(const T* dy,
                                 const T* kept,
                                 T* dx,
                                 Sum<T>* d_bias,
                                 RowRange rows,
                                 Curve curve,
                                 Dropout dropout) {
  specialize(curve, dropout.key != 0, [&]<Curve c, bool drop>() {
    backward_rows<c, drop>(dy, kept, dx, d_bias, rows, dropout);
  });
}

template <typename T>
void column_sums(const T* x, Sum<T>* sums, RowRange rows) {
  for (int64_t row = rows.first; row < rows.last; ++row) {
    const T* in = x + row * rows.columns;
#pragma GCC ivdep
    for (int64_t i = 0; i < rows.columns; ++i) sums[i] += load(in[i]);
  }
}

template <bool drop, bool add, typename T>
void add_rows(const T* x, const T* residual, T* y, RowRange rows, Dropout dropout) {
  using S = Sum<T>;
  const int64_t last = rows.last * rows.columns;
#pragma GCC ivdep
  for (int64_t i = rows.first * rows.columns; i < last; ++i) {
    S value = load(x[i]);
    if constexpr (drop)
      value *= dropout_factor<S>(dropout, static_cast<uint32_t>(i));
    if constexpr (add)
      value += load(residual[i]);
    store(y + i, value);
  }
}

template <typename T>
void dropout_add(const T* x, const T* residual, T* y, RowRange rows, Dropout dropout) {
  const bool drop = dropout.key != 0;
  if (residual) {
    drop ? add_rows<true, true>(x, residual, y, rows, dropout)
         : add_rows<false, true>(x, residual, y, rows, dropout);
  } else {
    drop ? add_rows<true, false>(x, residual, y, rows, dropout)
         : add_rows<false, false>(x, residual, y, rows, dropout);
  }
}

}  // namespace

template <typename T>
void add_row_kernels(Kernels<T>& kernels) {
  kernels.bias_curve_dropout = bias_curve_dropout<T>;
  kernels.bias_curve_dropout_backward = bias_curve_dropout_backward<T>;
  kernels.column_sums = column_sums<T>;
  kernels.dropout_add = dropout_add<T>;
}

PHRASEQ_INSTANTIATE(add_row_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
