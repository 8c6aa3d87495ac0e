#pragma once

#include <cstdint>

#include "core/nn/kernels/always_inline.h"
#include "core/nn/kernels/kernels.h"
#include "core/nn/kernels/processor_level.h"

/// The element-wise passes of the n-gram LSTM: plain loops over ranges of rows, compiled once for
/// each processor level. T is float, double or Bfloat16; sums and cell states are in S = Sum<T>.
/// The "shift" of a place in a window is its distance, in tokens, from the window's last token.
namespace phraseq::phrase_transformer::lstm_kernels {

using nn::kernels::Bfloat16;
using nn::kernels::Dropout;
using nn::kernels::Sum;

/// Finds the row of the same stream `shift` tokens before a row.
struct Shift {
  const int64_t* positions;  ///< [tokens]
  int64_t streams, shift;

  PHRASEQ_INLINE bool exists(int64_t row) const { return positions[row / streams] >= shift; }
  PHRASEQ_INLINE int64_t from(int64_t row) const { return row - shift * streams; }
};

/// One step of one direction. A row's gates are 4·width columns i f g o; states are [rows, width].
template <typename T>
struct StepTask {
  int64_t width;
  /// Products of the inputs; those for a row are at row - shift · streams, and are zeros if there
  /// is no such row.
  const T* products;
  Shift back;
  const T* nothing;        ///< [4·width] zeros
  const T* recurrent;      ///< products of the previous state; null: the first step, without f
  const Sum<T>* c_before;  ///< null: the first step
  const Sum<T>* bias;      ///< [4·width]
  T* gates;  ///< activated; may be the memory of the products unless these are shifted
  Sum<T>* c;
  T* h;
};

/// The backward pass of a step. Input: the gradients of h and, in `dc`, of c. Output: the gradients
/// of the products and, in `dc`, of the previous state.
template <typename T>
struct StepGradientTask {
  int64_t width;
  const T* gates;
  const Sum<T>*c_before, *c;  ///< c_before null: the first step
  const T* dh;
  Sum<T>* dc;
  T* d_gates;
};

/// The states after the last step of each direction, [rows · width]; null if they are not added.
template <typename T>
struct LastStates {
  const T* h[2];
  const Sum<T>* c[2];
};

/// Rows [rows, width] and the places of windows [gram · rows, width].
template <typename T>
struct WindowTask {
  int64_t rows, width, gram;
  const int64_t* positions;
  int64_t streams;
  Dropout dropout;  ///< elements are numbered place by place
  const T* from;
  T* to;
};

/// The passes for one element type over rows [first, last).
template <typename T>
struct LstmKernels {
  void (*step)(const StepTask<T>& task, int64_t first, int64_t last);
  void (*step_backward)(const StepGradientTask<T>& task, int64_t first, int64_t last);
  /// Sums the states of elements [first, last).
  void (*sum_last)(const LastStates<T>& states, T* sum, int64_t first, int64_t last);
  /// Copies rows to places, with zeros where there is no row.
  void (*gather_places)(const WindowTask<T>& task, int64_t first, int64_t last);
  /// Sums each row over its places: the transpose of gather_places.
  void (*sum_places)(const WindowTask<T>& task, int64_t first, int64_t last);
};
PHRASEQ_DECLARE_KERNELS(LstmKernels, kernels)

}  // namespace phraseq::phrase_transformer::lstm_kernels
