#pragma once

#include "core/nn/kernels/arithmetic.h"

/// Reading attention's vectors into scratch memory and writing results and gradients back, as a
/// VectorLayout describes. Included only by the kernels' sources.
namespace phraseq::nn::kernels {
namespace {

/// Returns the distance, in tokens, from the token that piece j reads at position w of the window
/// to the vector's own token.
PHRASEQ_INLINE int64_t lag_of(const VectorLayout& layout, int64_t w, int64_t j) {
  return layout.window - 1 - w + layout.part_lag * (layout.parts - 1 - j);
}

/// Returns the offset of this piece from the layout's first column.
PHRASEQ_INLINE int64_t offset_of(const VectorLayout& layout, int64_t w, int64_t j) {
  return w * layout.window_step + j * layout.part_step;
}

/// Reads the vectors of the tokens `first` to `first + count - 1` of a sentence that starts at
/// `rows`, multiplied by `factor`, into `to` [count, width], by the equation of VectorLayout.
/// Columns after a vector's own are set to zero.
template <typename T>
PHRASEQ_INLINE void read_vectors(const VectorLayout& layout,
                                 const T* rows,
                                 int64_t stride,
                                 int64_t first,
                                 int64_t count,
                                 int64_t head_dim,
                                 Sum<T> factor,
                                 Sum<T>* to,
                                 int64_t width) {
  for (int64_t j = 0; j < layout.parts; ++j) {
    for (int64_t w = layout.window - 1; w >= 0; --w) {
      const bool sets = w == layout.window - 1;
      const int64_t lag = lag_of(layout, w, j);
      const T* from = rows + offset_of(layout, w, j);
      for (int64_t i = 0; i < count; ++i) {
        Sum<T>* place = to + i * width + j * head_dim;
        const int64_t row = first + i - lag;
        if (row < 0) {
          for (int64_t d = 0; sets && d < head_dim; ++d) place[d] = 0;
          continue;
        }
        const T* source = from + row * stride;
        if (sets) {
#pragma GCC ivdep
          for (int64_t d = 0; d < head_dim; ++d) place[d] = load(source[d]) * factor;
        } else {
#pragma GCC ivdep
          for (int64_t d = 0; d < head_dim; ++d) place[d] += load(source[d]) * factor;
        }
      }
    }
  }
  for (int64_t d = layout.parts * head_dim; d < width; ++d) {
    for (int64_t i = 0; i < count; ++i) to[i * width + d] = 0;
  }
}

/// The range of vectors to write: those of the tokens `first` to `last - 1`. The rows of the tokens
/// `from` to `to - 1` are set; columns that no vector contributes to become zero.
struct WrittenRange {
  int64_t first, last, from, to;
};

/// Writes one piece of a vector, multiplied by `factor`, to the columns that it was read from.
template <typename T>
PHRASEQ_INLINE void write_piece(const Sum<T>* piece, int64_t head_dim, Sum<T> factor, T* place) {
#pragma GCC ivdep
  for (int64_t d = 0; d < head_dim; ++d) store(place + d, piece[d] * factor);
}

template <typename T>
PHRASEQ_INLINE void write_zeros(int64_t head_dim, T* place) {
  for (int64_t d = 0; d < head_dim; ++d) store(place + d, Sum<T>{0});
}

/// Writes the sum of all pieces that were read from a row's columns, multiplied by `factor`.
template <typename T>
PHRASEQ_INLINE void write_joined(const VectorLayout& layout,
                                 const Sum<T>* vectors,
                                 int64_t width,
                                 const WrittenRange& range,
                                 int64_t row,
                                 int64_t head_dim,
                                 Sum<T> factor,
                                 T* place) {
  constexpr int64_t kPiece = 64;
  for (int64_t begin = 0; begin < head_dim; begin += kPiece) {
    const int64_t count = head_dim - begin < kPiece ? head_dim - begin : kPiece;
    Sum<T> sums[kPiece] = {};
    for (int64_t j = 0; j < layout.parts; ++j) {
      const int64_t t = row + lag_of(layout, 0, j);
      if (t < range.first || t >= range.last)
        continue;
      const Sum<T>* piece = vectors + (t - range.first) * width + j * head_dim + begin;
#pragma GCC ivdep
      for (int64_t d = 0; d < count; ++d) sums[d] += piece[d];
    }
    write_piece(sums, count, factor, place + begin);
  }
}

/// Writes vectors back to the rows that read_vectors read them from (its transpose): each row's
/// columns get the sum of the pieces that were read from them, multiplied by `factor`. `vectors`
/// [range.last - range.first, width]; the sentence has `length` rows. Joined vectors (several parts
/// with part_step 0, no window) are written for a whole sentence at once.
template <typename T>
PHRASEQ_INLINE void write_vectors(const VectorLayout& layout,
                                  const Sum<T>* vectors,
                                  int64_t width,
                                  const WrittenRange& range,
                                  int64_t length,
                                  int64_t head_dim,
                                  Sum<T> factor,
                                  T* rows,
                                  int64_t stride) {
  if (layout.parts > 1 && layout.part_step == 0) {
    for (int64_t row = 0; row < length; ++row)
      write_joined(layout, vectors, width, range, row, head_dim, factor, rows + row * stride);
    return;
  }
  for (int64_t w = 0; w < layout.window; ++w) {
    for (int64_t j = 0; j < layout.parts; ++j) {
      const int64_t lag = lag_of(layout, w, j);
      const int64_t last_row = range.to - lag < length ? range.to - lag : length;
      T* columns = rows + offset_of(layout, w, j);
      for (int64_t row = range.from > lag ? range.from - lag : 0; row < last_row; ++row) {
        const int64_t vector = row + lag - range.first;
        if (vector >= 0 && vector < range.last - range.first) {
          const Sum<T>* piece = vectors + vector * width + j * head_dim;
          write_piece(piece, head_dim, factor, columns + row * stride);
        } else {
          write_zeros(head_dim, columns + row * stride);
        }
      }
    }
  }
}

}  // namespace
}  // namespace phraseq::nn::kernels
