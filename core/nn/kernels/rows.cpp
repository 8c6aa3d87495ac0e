#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

// Element-wise passes over rows, before and after matrix products.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

template <Activation activation, typename S>
PHRASEQ_INLINE S activated(S x) {
  if constexpr (activation == Activation::kRelu)
    return x < S{0} ? S{0} : x;  // NaN stays NaN, as with ATen
  if constexpr (activation == Activation::kGelu)
    return S{0.5} * x * (S{1} + error_function(x * S(0.70710678118654752440)));
  if constexpr (activation == Activation::kSwish)
    return x / (S{1} + exponential(-x));
  if constexpr (activation == Activation::kSigmoid)
    return S{1} / (S{1} + exponential(-x));
  return x;
}

/// Returns the derivative at `kept`: the output for kRelu and kSigmoid, the input for the others.
template <Activation activation, typename S>
PHRASEQ_INLINE S slope(S kept) {
  if constexpr (activation == Activation::kRelu)
    return kept > S{0} ? S{1} : S{0};
  if constexpr (activation == Activation::kGelu) {
    const S density = S(0.39894228040143267794) * exponential(S{-0.5} * kept * kept);
    return S{0.5} * (S{1} + error_function(kept * S(0.70710678118654752440))) + kept * density;
  }
  if constexpr (activation == Activation::kSwish) {
    const S curve = sigmoid(kept);
    return curve * (S{1} + kept * (S{1} - curve));
  }
  if constexpr (activation == Activation::kSigmoid)
    return kept * (S{1} - kept);
  return S{1};
}

template <Activation activation, bool drop, typename T>
void forward_rows(const T* x, const Sum<T>* bias, T* y, RowRange rows, Dropout dropout) {
  using S = Sum<T>;
  for (int64_t row = rows.first; row < rows.last; ++row) {
    const T* in = x + row * rows.columns;
    T* out = y + row * rows.columns;
    const auto element = static_cast<uint32_t>(row * rows.columns);
#pragma GCC ivdep
    for (int64_t i = 0; i < rows.columns; ++i) {
      S value = activated<activation>(load(in[i]) + bias[i]);
      if constexpr (drop)
        value *= dropout_factor<S>(dropout, element + static_cast<uint32_t>(i));
      store(out + i, value);
    }
  }
}

template <Activation activation, bool drop, typename T>
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
      // The stored output of kSigmoid was scaled by its dropout. If it was dropped, the gradient is
      // 0 in any case.
      constexpr bool scaled = drop && activation == Activation::kSigmoid;
      if constexpr (activation != Activation::kNone)
        value *= slope<activation>(scaled ? load(at[i]) * keep : load(at[i]));
      // The gradient of a dropped output of kRelu is already 0, because its slope is.
      if constexpr (drop && activation == Activation::kRelu)
        value *= static_cast<S>(dropout.scale);
      if constexpr (drop && activation != Activation::kRelu) {
        value *= dropout_factor<S>(dropout, element + static_cast<uint32_t>(i));
      }
      store(out + i, value);
      d_bias[i] += value;
    }
  }
}

/// Calls `work` with the activation and whether to drop as constants.
template <typename Work>
PHRASEQ_INLINE void specialize(Activation activation, bool drop, Work&& work) {
  const auto with_activation = [&]<Activation a>() __attribute__((always_inline)) {
    drop ? work.template operator()<a, true>() : work.template operator()<a, false>();
  };
  switch (activation) {
    case Activation::kNone:
      return with_activation.template operator()<Activation::kNone>();
    case Activation::kRelu:
      return with_activation.template operator()<Activation::kRelu>();
    case Activation::kGelu:
      return with_activation.template operator()<Activation::kGelu>();
    case Activation::kSwish:
      return with_activation.template operator()<Activation::kSwish>();
    case Activation::kSigmoid:
      return with_activation.template operator()<Activation::kSigmoid>();
  }
}

template <typename T>
void bias_activation_dropout(
    const T* x, const Sum<T>* bias, T* y, RowRange rows, Activation activation, Dropout dropout) {
  specialize(activation, dropout.key != 0, [&]<Activation a, bool drop>() {
    forward_rows<a, drop>(x, bias, y, rows, dropout);
  });
}

template <typename T>
void bias_activation_dropout_backward(const T* dy,
                                      const T* kept,
                                      T* dx,
                                      Sum<T>* d_bias,
                                      RowRange rows,
                                      Activation activation,
                                      Dropout dropout) {
  specialize(activation, dropout.key != 0, [&]<Activation a, bool drop>() {
    backward_rows<a, drop>(dy, kept, dx, d_bias, rows, dropout);
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
  kernels.bias_activation_dropout = bias_activation_dropout<T>;
  kernels.bias_activation_dropout_backward = bias_activation_dropout_backward<T>;
  kernels.column_sums = column_sums<T>;
  kernels.dropout_add = dropout_add<T>;
}

PHRASEQ_INSTANTIATE(add_row_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
