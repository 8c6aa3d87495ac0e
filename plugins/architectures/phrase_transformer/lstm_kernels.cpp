#include "plugins/architectures/phrase_transformer/lstm_kernels.h"

#include "core/nn/kernels/arithmetic.h"

namespace phraseq::phrase_transformer::lstm_kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

using nn::kernels::dropout_factor;
using nn::kernels::exponential;
using nn::kernels::load;
using nn::kernels::sigmoid;
using nn::kernels::store;

/// Faster than the kernels' own; accurate to 2e-7 in absolute terms, which is all that sums of
/// states need.
PHRASEQ_INLINE float hyperbolic_tangent(float x) {
  return 2.0F / (1.0F + exponential(-2.0F * x)) - 1.0F;
}
PHRASEQ_INLINE double hyperbolic_tangent(double x) { return std::tanh(x); }

template <bool first_step, typename T>
PHRASEQ_INLINE void step_row(const StepTask<T>& task, int64_t row) {
  using S = Sum<T>;
  const int64_t n = task.width;
  const T* input =
      task.back.exists(row) ? task.products + task.back.from(row) * 4 * n : task.nothing;
  const T* recurrent = first_step ? task.nothing : task.recurrent + row * 4 * n;
  const S* bias = task.bias;
  const S* c_before = first_step ? nullptr : task.c_before + row * n;
  T* gates = task.gates + row * 4 * n;
  S* c = task.c + row * n;
  T* h = task.h + row * n;
#pragma GCC ivdep
  for (int64_t k = 0; k < n; ++k) {
    const int64_t f_k = n + k, g_k = 2 * n + k, o_k = 3 * n + k;
    const S i = sigmoid(load(input[k]) + load(recurrent[k]) + bias[k]);
    const S g = hyperbolic_tangent(load(input[g_k]) + load(recurrent[g_k]) + bias[g_k]);
    const S o = sigmoid(load(input[o_k]) + load(recurrent[o_k]) + bias[o_k]);
    S cell = i * g;
    if constexpr (!first_step) {
      const S f = sigmoid(load(input[f_k]) + load(recurrent[f_k]) + bias[f_k]);
      cell += f * c_before[k];
      store(gates + f_k, f);
    }
    store(gates + k, i);
    store(gates + g_k, g);
    store(gates + o_k, o);
    c[k] = cell;
    store(h + k, o * hyperbolic_tangent(cell));
  }
}

template <typename T>
void step_rows(const StepTask<T>& task, int64_t first, int64_t last) {
  if (task.c_before) {
    for (int64_t row = first; row < last; ++row) step_row<false>(task, row);
  } else {
    for (int64_t row = first; row < last; ++row) step_row<true>(task, row);
  }
}

template <bool first_step, typename T>
PHRASEQ_INLINE void step_backward_row(const StepGradientTask<T>& task, int64_t row) {
  using S = Sum<T>;
  const int64_t n = task.width;
  const T* gates = task.gates + row * 4 * n;
  T* d_gates = task.d_gates + row * 4 * n;
  const S* c_before = first_step ? nullptr : task.c_before + row * n;
  const S* c = task.c + row * n;
  const T* dh = task.dh + row * n;
  S* dc = task.dc + row * n;
#pragma GCC ivdep
  for (int64_t k = 0; k < n; ++k) {
    const int64_t f_k = n + k, g_k = 2 * n + k, o_k = 3 * n + k;
    const S i = load(gates[k]), g = load(gates[g_k]), o = load(gates[o_k]);
    const S tanh_c = hyperbolic_tangent(c[k]);
    const S from_h = load(dh[k]);
    const S d_cell = dc[k] + from_h * o * (S{1} - tanh_c * tanh_c);
    store(d_gates + k, d_cell * g * i * (S{1} - i));
    store(d_gates + g_k, d_cell * i * (S{1} - g * g));
    store(d_gates + o_k, from_h * tanh_c * o * (S{1} - o));
    if constexpr (first_step) {
      store(d_gates + f_k, S{0});
    } else {
      const S f = load(gates[f_k]);
      store(d_gates + f_k, d_cell * c_before[k] * f * (S{1} - f));
      dc[k] = d_cell * f;
    }
  }
}

template <typename T>
void step_backward_rows(const StepGradientTask<T>& task, int64_t first, int64_t last) {
  if (task.c_before) {
    for (int64_t row = first; row < last; ++row) step_backward_row<false>(task, row);
  } else {
    for (int64_t row = first; row < last; ++row) step_backward_row<true>(task, row);
  }
}

template <bool hidden, bool cell, typename T>
PHRASEQ_INLINE Sum<T> last_state(const LastStates<T>& states, int direction, int64_t element) {
  Sum<T> sum{0};
  if constexpr (hidden)
    sum += load(states.h[direction][element]);
  if constexpr (cell)
    sum += states.c[direction][element];
  return sum;
}

template <bool hidden, bool cell, typename T>
PHRASEQ_INLINE void sum_both(const LastStates<T>& states, T* sum, int64_t first, int64_t last) {
#pragma GCC ivdep
  for (int64_t k = first; k < last; ++k)
    store(sum + k, last_state<hidden, cell>(states, 0, k) + last_state<hidden, cell>(states, 1, k));
}

template <typename T>
void sum_last(const LastStates<T>& states, T* sum, int64_t first, int64_t last) {
  if (states.h[0] == nullptr)
    sum_both<false, true>(states, sum, first, last);
  else if (states.c[0] == nullptr)
    sum_both<true, false>(states, sum, first, last);
  else
    sum_both<true, true>(states, sum, first, last);
}

/// The number, for dropout, of a row's first element at a place.
template <typename T>
PHRASEQ_INLINE uint32_t first_element(const WindowTask<T>& task, int64_t place, int64_t row) {
  return static_cast<uint32_t>((place * task.rows + row) * task.width);
}

template <typename T>
void gather_rows(const WindowTask<T>& task, int64_t first, int64_t last) {
  using S = Sum<T>;
  for (int64_t place = 0; place < task.gram; ++place) {
    const Shift back{task.positions, task.streams, task.gram - 1 - place};
    for (int64_t row = first; row < last; ++row) {
      T* to = task.to + (place * task.rows + row) * task.width;
      if (!back.exists(row)) {
        for (int64_t k = 0; k < task.width; ++k) store(to + k, S{0});
        continue;
      }
      const T* from = task.from + back.from(row) * task.width;
      const uint32_t element = first_element(task, place, row);
#pragma GCC ivdep
      for (int64_t k = 0; k < task.width; ++k) {
        store(to + k,
              load(from[k]) * dropout_factor<S>(task.dropout, element + static_cast<uint32_t>(k)));
      }
    }
  }
}

/// The number of columns whose sums stay in registers or the first-level cache.
constexpr int64_t kPiece = 64;

template <bool drop, typename T>
PHRASEQ_INLINE void sum_piece(const WindowTask<T>& task,
                              int64_t row,
                              int64_t column,
                              int64_t count) {
  using S = Sum<T>;
  S sums[kPiece] = {};
  for (int64_t place = 0; place < task.gram; ++place) {
    const Shift back{task.positions, task.streams, task.gram - 1 - place};
    const int64_t window = row + back.shift * task.streams;
    if (window >= task.rows || !back.exists(window))
      continue;
    const T* from = task.from + (place * task.rows + window) * task.width + column;
    const uint32_t element = first_element(task, place, window) + static_cast<uint32_t>(column);
#pragma GCC ivdep
    for (int64_t k = 0; k < count; ++k) {
      S value = load(from[k]);
      if constexpr (drop)
        value *= dropout_factor<S>(task.dropout, element + static_cast<uint32_t>(k));
      sums[k] += value;
    }
  }
  T* to = task.to + row * task.width + column;
#pragma GCC ivdep
  for (int64_t k = 0; k < count; ++k) store(to + k, sums[k]);
}

template <typename T>
void sum_rows(const WindowTask<T>& task, int64_t first, int64_t last) {
  const bool drop = task.dropout.key != 0;
  for (int64_t row = first; row < last; ++row) {
    for (int64_t column = 0; column < task.width; column += kPiece) {
      const int64_t count = column + kPiece < task.width ? kPiece : task.width - column;
      if (drop) {
        sum_piece<true>(task, row, column, count);
      } else {
        sum_piece<false>(task, row, column, count);
      }
    }
  }
}

}  // namespace

template <typename T>
const LstmKernels<T>& kernels() {
  static constexpr LstmKernels<T> kTable{
      step_rows<T>, step_backward_rows<T>, sum_last<T>, gather_rows<T>, sum_rows<T>};
  return kTable;
}
template const LstmKernels<float>& kernels();
template const LstmKernels<double>& kernels();
template const LstmKernels<Bfloat16>& kernels();

}  // namespace phraseq::phrase_transformer::lstm_kernels::PHRASEQ_KERNEL_LEVEL
