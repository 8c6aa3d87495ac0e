#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"
#include "core/nn/kernels/small_product.h"

// Attention of one head of one sentence: blocks of queries against all keys, in fp32 (fp64)
// scratch. The backward pass makes the weights again from the scores and the saved logarithms of
// their sums.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

constexpr int64_t kQueryBlock = 64;

PHRASEQ_INLINE int64_t rounded_up(int64_t n) {
  return (n + kColumnUnit - 1) / kColumnUnit * kColumnUnit;
}
PHRASEQ_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// The scratch memory's parts. Columns are filled up with zeros to a multiple of kColumnUnit.
template <typename S>
struct Scratch {
  int64_t width;                   ///< head_dim, rounded up
  int64_t length;                  ///< keys, rounded up
  S *keys, *values;                ///< [keys, width]
  S *keys_across, *values_across;  ///< [head_dim, length]
  S *queries, *d_out, *out;        ///< [block, width]
  S *weights, *d_weights;          ///< [block, length]
  S *d_keys, *d_values;            ///< [keys, width]

  static int64_t size(int64_t queries, int64_t keys, int64_t head_dim) {
    const int64_t block = smaller(queries, kQueryBlock);
    return rounded_up(head_dim) * (4 * keys + 3 * block) +
           rounded_up(keys) * (2 * head_dim + 2 * block);
  }

  Scratch(S* memory, int64_t query_count, int64_t key_count, int64_t head_dim)
      : width(rounded_up(head_dim)), length(rounded_up(key_count)) {
    const int64_t block = smaller(query_count, kQueryBlock);
    const auto take = [&](int64_t size) {
      S* part = memory;
      memory += size;
      return part;
    };
    keys = take(key_count * width);
    values = take(key_count * width);
    d_keys = take(key_count * width);
    d_values = take(key_count * width);
    queries = take(block * width);
    d_out = take(block * width);
    out = take(block * width);
    keys_across = take(head_dim * length);
    values_across = take(head_dim * length);
    weights = take(block * length);
    d_weights = take(block * length);
  }
};

template <typename T>
PHRASEQ_INLINE void copy_rows(const T* from,
                              int64_t stride,
                              int64_t rows,
                              int64_t columns,
                              Sum<T> factor,
                              Sum<T>* to,
                              int64_t width) {
  for (int64_t row = 0; row < rows; ++row) {
#pragma GCC ivdep
    for (int64_t i = 0; i < columns; ++i)
      to[row * width + i] = load(from[row * stride + i]) * factor;
    for (int64_t i = columns; i < width; ++i) to[row * width + i] = 0;
  }
}

template <typename T>
PHRASEQ_INLINE void copy_across(
    const T* from, int64_t stride, int64_t rows, int64_t columns, Sum<T>* to, int64_t length) {
  for (int64_t i = 0; i < columns; ++i) {
    for (int64_t row = 0; row < rows; ++row) to[i * length + row] = load(from[row * stride + i]);
    for (int64_t row = rows; row < length; ++row) to[i * length + row] = 0;
  }
}

template <typename T>
PHRASEQ_INLINE void write_rows(const Sum<T>* from,
                               int64_t width,
                               int64_t rows,
                               int64_t columns,
                               Sum<T> factor,
                               T* to,
                               int64_t stride) {
  for (int64_t row = 0; row < rows; ++row) {
#pragma GCC ivdep
    for (int64_t i = 0; i < columns; ++i)
      store(to + row * stride + i, from[row * width + i] * factor);
  }
}

template <typename S>
PHRASEQ_INLINE void fill_zero(S* place, int64_t count) {
  for (int64_t i = 0; i < count; ++i) place[i] = 0;
}

/// Keys that query i sees.
template <typename T>
PHRASEQ_INLINE int64_t visible(const AttentionTask<T>& task, int64_t query) {
  return task.causal ? smaller(query + 1, task.keys) : task.keys;
}

/// Scores of a block of queries into `scratch.weights`; the columns made.
template <typename T>
PHRASEQ_INLINE int64_t score_block(const AttentionTask<T>& task,
                                   const Scratch<Sum<T>>& scratch,
                                   int64_t first,
                                   int64_t rows) {
  const int64_t columns = rounded_up(visible(task, first + rows - 1));
  copy_rows(task.q + first * task.q_stride,
            task.q_stride,
            rows,
            task.head_dim,
            static_cast<Sum<T>>(task.scale),
            scratch.queries,
            scratch.width);
  small_product<Sum<T>>({scratch.queries, scratch.width, 1},
                        scratch.keys_across,
                        scratch.length,
                        scratch.weights,
                        scratch.length,
                        rows,
                        columns,
                        task.head_dim,
                        false);
  return columns;
}

template <typename S>
PHRASEQ_INLINE S log_sum_exp(const S* row, int64_t count) {
  S top = row[0];
#pragma omp simd reduction(max : top)
  for (int64_t j = 0; j < count; ++j) top = row[j] > top ? row[j] : top;
  S sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < count; ++j) sum += exponential(row[j] - top);
  return top + std::log(sum);
}

/// Scores to weights; 0 behind the visible ones.
template <typename S>
PHRASEQ_INLINE void weigh(S* row, int64_t count, int64_t columns, S log_sum) {
#pragma GCC ivdep
  for (int64_t j = 0; j < count; ++j) row[j] = exponential(row[j] - log_sum);
  for (int64_t j = count; j < columns; ++j) row[j] = 0;
}

template <typename S>
PHRASEQ_INLINE void drop_row(S* row, int64_t columns, const Dropout& dropout, uint32_t element) {
#pragma GCC ivdep
  for (int64_t j = 0; j < columns; ++j) {
    row[j] *= dropout_factor<S>(dropout, element + static_cast<uint32_t>(j));
  }
}

template <typename T>
PHRASEQ_INLINE uint32_t first_element(const AttentionTask<T>& task, int64_t query) {
  return attention_row_element(task.first_query_row + query, task.heads, task.head);
}

template <typename T>
void attention(const AttentionTask<T>& task, const AttentionResult<T>& result, Sum<T>* memory) {
  using S = Sum<T>;
  if (task.keys == 0) {
    for (int64_t i = 0; i < task.queries; ++i) {
      for (int64_t d = 0; d < task.head_dim; ++d)
        store(result.out + i * result.out_stride + d, S{0});
    }
    return;
  }
  const Scratch<S> scratch(memory, task.queries, task.keys, task.head_dim);
  copy_across(
      task.k, task.kv_stride, task.keys, task.head_dim, scratch.keys_across, scratch.length);
  copy_rows(task.v, task.kv_stride, task.keys, task.head_dim, S{1}, scratch.values, scratch.width);
  for (int64_t first = 0; first < task.queries; first += kQueryBlock) {
    const int64_t rows = smaller(kQueryBlock, task.queries - first);
    const int64_t columns = score_block(task, scratch, first, rows);
    for (int64_t i = 0; i < rows; ++i) {
      S* row = scratch.weights + i * scratch.length;
      const int64_t count = visible(task, first + i);
      const S log_sum = log_sum_exp(row, count);
      task.log_sums[(first + i) * task.heads] = log_sum;
      weigh(row, count, columns, log_sum);
      if (result.weights) {
        float* shares = result.weights + (first + i) * result.weights_stride;
        for (int64_t j = 0; j < count; ++j)
          shares[j] += result.weight_share * static_cast<float>(row[j]);
      }
      if (task.dropout.key != 0)
        drop_row(row, columns, task.dropout, first_element(task, first + i));
    }
    small_product<S>({scratch.weights, scratch.length, 1},
                     scratch.values,
                     scratch.width,
                     scratch.out,
                     scratch.width,
                     rows,
                     scratch.width,
                     smaller(columns, task.keys),
                     false);
    write_rows(scratch.out,
               scratch.width,
               rows,
               task.head_dim,
               S{1},
               result.out + first * result.out_stride,
               result.out_stride);
  }
}

/// One row of the softmax's backward pass. In: weights p, d_weights = dO Vᵀ. Out: weights after
/// dropout, and the gradient of the scores, p (m·d - Σ p·m·d), m the dropout's factors.
template <typename S>
PHRASEQ_INLINE void backward_row(
    S* weights, S* d_weights, int64_t columns, const Dropout& dropout, uint32_t element) {
  if (dropout.key != 0)
    drop_row(d_weights, columns, dropout, element);
  S sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < columns; ++j) sum += weights[j] * d_weights[j];
#pragma GCC ivdep
  for (int64_t j = 0; j < columns; ++j) d_weights[j] = weights[j] * (d_weights[j] - sum);
  if (dropout.key != 0)
    drop_row(weights, columns, dropout, element);
}

template <typename T>
void attention_backward(const AttentionTask<T>& task,
                        const AttentionGradients<T>& gradients,
                        Sum<T>* memory) {
  using S = Sum<T>;
  if (task.keys == 0) {
    for (int64_t i = 0; i < task.queries; ++i) {
      for (int64_t d = 0; d < task.head_dim; ++d)
        store(gradients.dq + i * gradients.dq_stride + d, S{0});
    }
    return;
  }
  const Scratch<S> scratch(memory, task.queries, task.keys, task.head_dim);
  copy_rows(task.k, task.kv_stride, task.keys, task.head_dim, S{1}, scratch.keys, scratch.width);
  copy_across(
      task.k, task.kv_stride, task.keys, task.head_dim, scratch.keys_across, scratch.length);
  copy_across(
      task.v, task.kv_stride, task.keys, task.head_dim, scratch.values_across, scratch.length);
  fill_zero(scratch.d_keys, task.keys * scratch.width);
  fill_zero(scratch.d_values, task.keys * scratch.width);
  for (int64_t first = 0; first < task.queries; first += kQueryBlock) {
    const int64_t rows = smaller(kQueryBlock, task.queries - first);
    const int64_t columns = score_block(task, scratch, first, rows);
    const int64_t keys = smaller(columns, task.keys);
    copy_rows(gradients.d_out + first * gradients.d_out_stride,
              gradients.d_out_stride,
              rows,
              task.head_dim,
              S{1},
              scratch.d_out,
              scratch.width);
    small_product<S>({scratch.d_out, scratch.width, 1},
                     scratch.values_across,
                     scratch.length,
                     scratch.d_weights,
                     scratch.length,
                     rows,
                     columns,
                     task.head_dim,
                     false);
    for (int64_t i = 0; i < rows; ++i) {
      S* row = scratch.weights + i * scratch.length;
      weigh(row, visible(task, first + i), columns, task.log_sums[(first + i) * task.heads]);
      backward_row(row,
                   scratch.d_weights + i * scratch.length,
                   columns,
                   task.dropout,
                   first_element(task, first + i));
    }
    small_product<S>({scratch.weights, 1, scratch.length},
                     scratch.d_out,
                     scratch.width,
                     scratch.d_values,
                     scratch.width,
                     keys,
                     scratch.width,
                     rows,
                     true);
    small_product<S>({scratch.d_weights, 1, scratch.length},
                     scratch.queries,
                     scratch.width,
                     scratch.d_keys,
                     scratch.width,
                     keys,
                     scratch.width,
                     rows,
                     true);
    small_product<S>({scratch.d_weights, scratch.length, 1},
                     scratch.keys,
                     scratch.width,
                     scratch.out,
                     scratch.width,
                     rows,
                     scratch.width,
                     keys,
                     false);
    write_rows(scratch.out,
               scratch.width,
               rows,
               task.head_dim,
               static_cast<S>(task.scale),
               gradients.dq + first * gradients.dq_stride,
               gradients.dq_stride);
  }
  write_rows(scratch.d_keys,
             scratch.width,
             task.keys,
             task.head_dim,
             S{1},
             gradients.dk,
             gradients.dkv_stride);
  write_rows(scratch.d_values,
             scratch.width,
             task.keys,
             task.head_dim,
             S{1},
             gradients.dv,
             gradients.dkv_stride);
}

}  // namespace

template <typename T>
void add_attention_kernels(Kernels<T>& kernels) {
  kernels.attention_scratch = Scratch<Sum<T>>::size;
  kernels.attention = attention<T>;
  kernels.attention_backward = attention_backward<T>;
}

PHRASEQ_INSTANTIATE(add_attention_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
