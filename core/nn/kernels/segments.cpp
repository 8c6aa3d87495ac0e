#include <algorithm>

#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

// Functions that compute one row from each segment (a run of rows), such as a phrase from its
// words.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// Calls work(segment, first row, rows) for a range of segments.
template <typename Work>
PHRASEQ_INLINE void each_segment(const SegmentRange& range, Work&& work) {
  for (int64_t segment = range.first; segment < range.last; ++segment)
    work(segment, range.offsets[segment], range.offsets[segment + 1] - range.offsets[segment]);
}

template <typename T>
void segment_max(const T* x, T* y, int32_t* winners, SegmentRange range) {
  each_segment(range, [&](int64_t segment, int64_t first_row, int64_t rows) {
    const T* in = x + first_row * range.columns;
    T* out = y + segment * range.columns;
    int32_t* winner = winners + segment * range.columns;
    std::fill_n(winner, range.columns, 0);
    std::fill_n(out, range.columns, T{});
    if (rows > 0)
      std::copy_n(in, range.columns, out);
    for (int64_t row = 1; row < rows; ++row) {
      const T* candidate = in + row * range.columns;
#pragma GCC ivdep
      for (int64_t i = 0; i < range.columns; ++i) {
        const bool larger = load(candidate[i]) > load(out[i]);
        out[i] = larger ? candidate[i] : out[i];
        winner[i] = larger ? static_cast<int32_t>(row) : winner[i];
      }
    }
  });
}

template <typename T>
void segment_max_backward(const T* dy, const int32_t* winners, T* dx, SegmentRange range) {
  each_segment(range, [&](int64_t segment, int64_t first_row, int64_t rows) {
    const T* up = dy + segment * range.columns;
    const int32_t* winner = winners + segment * range.columns;
    for (int64_t row = 0; row < rows; ++row) {
      T* out = dx + (first_row + row) * range.columns;
#pragma GCC ivdep
      for (int64_t i = 0; i < range.columns; ++i)
        out[i] = winner[i] == static_cast<int32_t>(row) ? up[i] : T{};
    }
  });
}

template <typename T>
void segment_sum(
    const T* x, const T* rest, const Sum<T>* weights, T* y, Sum<T>* scratch, SegmentRange range) {
  using S = Sum<T>;
  each_segment(range, [&](int64_t segment, int64_t first_row, int64_t rows) {
    std::fill_n(scratch, range.columns, S{0});
    S left = 1;
    for (int64_t row = first_row; row < first_row + rows; ++row) {
      const T* in = x + row * range.columns;
      const S weight = weights ? weights[row] : S{1} / static_cast<S>(rows);
      left -= weight;
#pragma GCC ivdep
      for (int64_t i = 0; i < range.columns; ++i) scratch[i] += weight * load(in[i]);
    }
    const int64_t start = segment * range.columns;
    if (rest) {
#pragma GCC ivdep
      for (int64_t i = 0; i < range.columns; ++i) scratch[i] += left * load(rest[start + i]);
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < range.columns; ++i) store(y + start + i, scratch[i]);
  });
}

/// Returns Σ dy · (x - rest) of one row; rest null = 0.
template <typename T>
PHRASEQ_INLINE Sum<T> weight_gradient(const T* dy, const T* x, const T* rest, int64_t columns) {
  Sum<T> sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < columns; ++i) sum += load(dy[i]) * load(x[i]);
  if (!rest)
    return sum;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < columns; ++i) sum -= load(dy[i]) * load(rest[i]);
  return sum;
}

template <typename T>
PHRASEQ_INLINE void scale_row(const T* x, Sum<T> factor, T* y, int64_t columns) {
#pragma GCC ivdep
  for (int64_t i = 0; i < columns; ++i) store(y + i, factor * load(x[i]));
}

template <typename T>
void segment_sum_backward(const SegmentSumGradients<T>& task, SegmentRange range) {
  using S = Sum<T>;
  each_segment(range, [&](int64_t segment, int64_t first_row, int64_t rows) {
    const int64_t start = segment * range.columns;
    const T* up = task.dy + start;
    const T* rest = task.rest ? task.rest + start : nullptr;
    S left = 1;
    for (int64_t row = first_row; row < first_row + rows; ++row) {
      const S weight = task.weights ? task.weights[row] : S{1} / static_cast<S>(rows);
      left -= weight;
      if (task.d_weights)
        task.d_weights[row] =
            weight_gradient(up, task.x + row * range.columns, rest, range.columns);
      scale_row(up, weight, task.dx + row * range.columns, range.columns);
    }
    if (task.d_rest)
      scale_row(up, left, task.d_rest + start, range.columns);
  });
}

template <bool drop, typename T>
PHRASEQ_INLINE void score_rows(const SegmentScores<T>& task, Sum<T>* scores, SegmentRange range) {
  using S = Sum<T>;
  each_segment(range, [&](int64_t segment, int64_t first_row, int64_t rows) {
    const T* summary = task.segment + segment * range.columns;
    for (int64_t row = first_row; row < first_row + rows; ++row) {
      const T* in = task.row + row * range.columns;
      const auto element = static_cast<uint32_t>(row * range.columns);
      S sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < range.columns; ++i) {
        S z = load(in[i]) + load(summary[i]);
        if constexpr (drop)
          z *= dropout_factor<S>(task.dropout, element + static_cast<uint32_t>(i));
        sum += task.w2[i] * sigmoid(z);
      }
      scores[row] = sum;
    }
  });
}

template <typename T>
void segment_scores(const SegmentScores<T>& task, Sum<T>* scores, SegmentRange range) {
  task.dropout.key != 0 ? score_rows<true>(task, scores, range)
                        : score_rows<false>(task, scores, range);
}

/// `scratch` [columns] accumulates the gradient of the segment's part of the scores.
template <bool drop, typename T>
PHRASEQ_INLINE void score_rows_backward(const SegmentScores<T>& task,
                                        const SegmentScoreGradients<T>& gradients,
                                        Sum<T>* scratch,
                                        SegmentRange range) {
  using S = Sum<T>;
  each_segment(range, [&](int64_t segment, int64_t first_row, int64_t rows) {
    const T* summary = task.segment + segment * range.columns;
    std::fill_n(scratch, range.columns, S{0});
    for (int64_t row = first_row; row < first_row + rows; ++row) {
      const T* in = task.row + row * range.columns;
      T* out = gradients.d_row + row * range.columns;
      const S up = gradients.d_scores[row];
      const auto element = static_cast<uint32_t>(row * range.columns);
#pragma GCC ivdep
      for (int64_t i = 0; i < range.columns; ++i) {
        S factor = 1;
        if constexpr (drop)
          factor = dropout_factor<S>(task.dropout, element + static_cast<uint32_t>(i));
        const S curve = sigmoid((load(in[i]) + load(summary[i])) * factor);
        gradients.d_w2[i] += up * curve;
        const S slope = up * task.w2[i] * curve * (S{1} - curve) * factor;
        scratch[i] += slope;
        store(out + i, slope);
      }
    }
    T* d_segment = gradients.d_segment + segment * range.columns;
#pragma GCC ivdep
    for (int64_t i = 0; i < range.columns; ++i) store(d_segment + i, scratch[i]);
  });
}

template <typename T>
void segment_scores_backward(const SegmentScores<T>& task,
                             const SegmentScoreGradients<T>& gradients,
                             Sum<T>* scratch,
                             SegmentRange range) {
  task.dropout.key != 0 ? score_rows_backward<true>(task, gradients, scratch, range)
                        : score_rows_backward<false>(task, gradients, scratch, range);
}

}  // namespace

template <typename T>
void add_segment_kernels(Kernels<T>& kernels) {
  kernels.segment_max = segment_max<T>;
  kernels.segment_max_backward = segment_max_backward<T>;
  kernels.segment_sum = segment_sum<T>;
  kernels.segment_sum_backward = segment_sum_backward<T>;
  kernels.segment_scores = segment_scores<T>;
  kernels.segment_scores_backward = segment_scores_backward<T>;
}

PHRASEQ_INSTANTIATE(add_segment_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
