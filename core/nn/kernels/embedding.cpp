#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

template <typename T>
void embed(const int64_t* ids,
           const int64_t* positions,
           const Sum<T>* table,
           const Sum<T>* position_table,
           T* y,
           double scale,
           RowRange rows,
           Dropout dropout) {
  using S = Sum<T>;
  const S factor = static_cast<S>(scale);
  for (int64_t row = rows.first; row < rows.last; ++row) {
    const S* word = table + ids[row] * rows.columns;
    const S* place = position_table ? position_table + positions[row] * rows.columns : word;
    const S place_factor = position_table ? S{1} : S{0};
    const auto element = static_cast<uint32_t>(row * rows.columns);
    T* out = y + row * rows.columns;
    if (dropout.key != 0) {
#pragma GCC ivdep
      for (int64_t i = 0; i < rows.columns; ++i) {
        store(out + i,
              (factor * word[i] + place_factor * place[i]) *
                  dropout_factor<S>(dropout, element + static_cast<uint32_t>(i)));
      }
    } else {
#pragma GCC ivdep
      for (int64_t i = 0; i < rows.columns; ++i) {
        store(out + i, factor * word[i] + place_factor * place[i]);
      }
    }
  }
}

template <typename T>
void embed_backward(const T* dy,
                    const int64_t* ids,
                    Sum<T>* d_table,
                    double scale,
                    int64_t skip,
                    int64_t first_column,
                    int64_t last_column,
                    RowRange rows,
                    Dropout dropout) {
  using S = Sum<T>;
  const S factor = static_cast<S>(scale);
  for (int64_t row = rows.first; row < rows.last; ++row) {
    if (ids[row] == skip)
      continue;
    const T* up = dy + row * rows.columns;
    S* out = d_table + ids[row] * rows.columns;
    const auto element = static_cast<uint32_t>(row * rows.columns);
    if (dropout.key != 0) {
#pragma GCC ivdep
      for (int64_t i = first_column; i < last_column; ++i) {
        out[i] +=
            factor * load(up[i]) * dropout_factor<S>(dropout, element + static_cast<uint32_t>(i));
      }
    } else {
#pragma GCC ivdep
      for (int64_t i = first_column; i < last_column; ++i) out[i] += factor * load(up[i]);
    }
  }
}

}  // namespace

template <typename T>
void add_embedding_kernels(Kernels<T>& kernels) {
  kernels.embed = embed<T>;
  kernels.embed_backward = embed_backward<T>;
}

PHRASEQ_INSTANTIATE(add_embedding_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
