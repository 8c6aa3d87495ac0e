#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/attention_scratch.h"
#include "core/nn/kernels/level.h"
#include "core/nn/kernels/small_product.h"
#include "core/nn/kernels/vectors.h"

// Attention of one head of one sentence: blocks of queries against all keys, in fp32 (fp64)
// scratch. The backward pass recomputes the weights from the scores and the saved logarithms of
// their sums.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// Returns how many keys of a kind, from the first on, the query of token i sees.
template <typename T, typename S>
PHRASEQ_INLINE int64_t visible(const AttentionTask<T>& task,
                               const QueryColumns& query,
                               const KeyScratch<S>& part,
                               int64_t i) {
  if (i < query.first)
    return 0;
  const int64_t seen = task.causal ? smaller(i + 1 - part.first, part.count) : part.count;
  return seen > 0 ? seen : 0;
}

/// A block of one kind of query.
struct Block {
  const QueryColumns* query;
  int64_t first, rows;

  const VectorLayout& layout(int64_t kind) const {
    return query->queries[query->shared ? 0 : kind];
  }
};

/// Returns how many keys of a kind some query of the block sees, rounded up.
template <typename T, typename S>
PHRASEQ_INLINE int64_t columns_in(const AttentionTask<T>& task,
                                  const Block& block,
                                  const KeyScratch<S>& part) {
  return rounded_up(visible(task, *block.query, part, block.first + block.rows - 1));
}

/// Computes the scores of a block against all kinds of keys, into `scratch.weights`.
template <typename T>
PHRASEQ_INLINE void score_block(const AttentionTask<T>& task,
                                const Scratch<Sum<T>>& scratch,
                                const Block& block) {
  for (int64_t k = 0; k < task.key_kinds; ++k) {
    const KeyScratch<Sum<T>>& part = scratch.kinds[k];
    const VectorLayout& layout = block.layout(k);
    if (k == 0 || !block.query->shared) {
      read_vectors(layout,
                   columns_of(task, layout, task.q, task.first_query, task.q_stride),
                   task.q_stride,
                   block.first,
                   block.rows,
                   task.head_dim,
                   Sum<T>{1},
                   part.queries,
                   part.width);
    }
    small_product<Sum<T>>({part.queries, part.width, 1},
                          part.keys_across,
                          part.length,
                          scratch.weights + part.start,
                          scratch.length,
                          block.rows,
                          columns_in(task, block, part),
                          part.depth,
                          false);
  }
}

// `count` scores of a row are visible. The loops run over all columns, in blocks of kColumnUnit,
// for which the compiler uses whole vectors. Sentences are often shorter than a block, and a loop
// over single scores would take as long as a whole block.

template <typename S>
PHRASEQ_INLINE S highest(const S* row, int64_t count, int64_t columns, S top) {
  for (int64_t first = 0; first < columns; first += kColumnUnit) {
    const int seen = static_cast<int>(smaller(count - first, kColumnUnit));
    S scores[kColumnUnit];
    for (int j = 0; j < kColumnUnit; ++j) scores[j] = j < seen ? row[first + j] : top;
    for (int j = 0; j < kColumnUnit; ++j) top = scores[j] > top ? scores[j] : top;
  }
  return top;
}

/// Returns the sum of a block, and overwrites the block.
template <typename S>
PHRASEQ_INLINE S folded(S (&block)[kColumnUnit]) {
  for (int half = kColumnUnit / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) block[j] += block[j + half];
  }
  return block[0];
}

/// Turns scores into e^(score - subtrahend), with 0 after the visible scores. Returns their sum.
template <typename S>
PHRASEQ_INLINE S raise(S* row, int64_t count, int64_t columns, S subtrahend) {
  S sums[kColumnUnit] = {};
  for (int64_t first = 0; first < columns; first += kColumnUnit) {
    const int seen = static_cast<int>(smaller(count - first, kColumnUnit));
    for (int j = 0; j < kColumnUnit; ++j) {
      const S power = exponential(row[first + j] - subtrahend);
      row[first + j] = j < seen ? power : S{0};
      sums[j] += row[first + j];
    }
  }
  return folded(sums);
}

template <typename S>
PHRASEQ_INLINE S dot(const S* a, const S* b, int64_t columns) {
  S sums[kColumnUnit] = {};
  for (int64_t first = 0; first < columns; first += kColumnUnit) {
    for (int j = 0; j < kColumnUnit; ++j) sums[j] += a[first + j] * b[first + j];
  }
  return folded(sums);
}

template <typename S>
PHRASEQ_INLINE void scale(S* row, int64_t columns, S factor) {
#pragma GCC ivdep
  for (int64_t j = 0; j < columns; ++j) row[j] *= factor;
}

/// Turns the scores that query i sees into their softmax. Returns log Σ exp of the scores; 0 if it
/// sees none.
template <typename T>
PHRASEQ_INLINE Sum<T> softmax(const AttentionTask<T>& task,
                              const Scratch<Sum<T>>& scratch,
                              const Block& block,
                              int64_t i,
                              Sum<T>* row) {
  using S = Sum<T>;
  constexpr S kLowest = S{-1e30F};
  S top = kLowest, sum = 0;
  const auto each_kind = [&](const auto& work) {
    for (int64_t k = 0; k < task.key_kinds; ++k) {
      const KeyScratch<S>& part = scratch.kinds[k];
      work(row + part.start, visible(task, *block.query, part, i), columns_in(task, block, part));
    }
  };
  each_kind([&](const S* scores, int64_t count, int64_t columns) {
    top = highest(scores, count, columns, top);
  });
  each_kind([&](S* scores, int64_t count, int64_t columns) {
    sum += raise(scores, count, columns, top);
  });
  if (top == kLowest)
    return 0;
  each_kind([&](S* scores, int64_t, int64_t columns) { scale(scores, columns, S{1} / sum); });
  return top + std::log(sum);
}

template <typename S>
PHRASEQ_INLINE void drop_row(S* row, int64_t columns, const Dropout& dropout, uint32_t element) {
#pragma GCC ivdep
  for (int64_t j = 0; j < columns; ++j) {
    row[j] *= dropout_factor<S>(dropout, element + static_cast<uint32_t>(j));
  }
}

/// Returns the number of a kind of query and the task's head in log_sums, recorded weights and
/// dropout.
template <typename T>
PHRASEQ_INLINE int64_t weight_row(const AttentionTask<T>& task, const QueryColumns& query) {
  return query.index * task.heads + task.weight_head;
}

/// Returns the element number, for dropout, of query i's first weight on a kind of key.
template <typename T>
PHRASEQ_INLINE uint32_t first_element(const AttentionTask<T>& task,
                                      const QueryColumns& query,
                                      int64_t i,
                                      const KeyKind& kind) {
  return attention_row_element(task.first_query + i, task.weight_rows, weight_row(task, query)) +
         static_cast<uint32_t>(kind.index * kKeyKindStride + kind.first);
}

template <typename T>
PHRASEQ_INLINE Sum<T>& log_sum_of(const AttentionTask<T>& task,
                                  const QueryColumns& query,
                                  int64_t i) {
  return task.log_sums[weight_row(task, query) * task.query_rows + task.first_query + i];
}

template <typename T>
PHRASEQ_INLINE void record_row(const AttentionTask<T>& task,
                               const AttentionResult<T>& result,
                               const QueryColumns& query,
                               int64_t i,
                               const KeyKind& kind,
                               const Sum<T>* row,
                               int64_t count) {
  const int64_t query_row = weight_row(task, query) * task.query_rows + task.first_query + i;
  float* weights =
      result.weights + (query_row * result.key_kinds + kind.index) * result.longest + kind.first;
  for (int64_t j = 0; j < count; ++j) weights[j] = static_cast<float>(row[j]);
}

/// Turns the scores of query i, a row of the block, into weights after dropout.
template <typename T>
PHRASEQ_INLINE void weigh_row(const AttentionTask<T>& task,
                              const AttentionResult<T>& result,
                              const Scratch<Sum<T>>& scratch,
                              const Block& block,
                              int64_t i,
                              Sum<T>* row) {
  using S = Sum<T>;
  log_sum_of(task, *block.query, i) = softmax(task, scratch, block, i, row);
  for (int64_t k = 0; k < task.key_kinds; ++k) {
    const KeyScratch<S>& part = scratch.kinds[k];
    S* weights = row + part.start;
    if (result.weights) {
      const int64_t count = visible(task, *block.query, part, i);
      record_row(task, result, *block.query, i, task.keys[k], weights, count);
    }
    if (task.dropout.key != 0) {
      drop_row(weights,
               columns_in(task, block, part),
               task.dropout,
               first_element(task, *block.query, i, task.keys[k]));
    }
  }
}

/// Returns the range of a block's vectors; for the sentence's last block, it includes the rows
/// after them.
template <typename T>
PHRASEQ_INLINE WrittenRange range_of(const AttentionTask<T>& task, const Block& block) {
  const int64_t last = block.first + block.rows;
  return {block.first, last, block.first, last < task.query_count ? last : INT64_MAX};
}

template <typename T>
void attend_block(const AttentionTask<T>& task,
                  const AttentionResult<T>& result,
                  const Scratch<Sum<T>>& scratch,
                  const Block& block) {
  using S = Sum<T>;
  score_block(task, scratch, block);
  for (int64_t i = 0; i < block.rows; ++i) {
    weigh_row(task, result, scratch, block, block.first + i, scratch.weights + i * scratch.length);
  }
  for (int64_t k = 0; k < task.key_kinds; ++k) {
    const KeyScratch<S>& part = scratch.kinds[k];
    small_product<S>({scratch.weights + part.start, scratch.length, 1},
                     part.values,
                     scratch.value_width,
                     scratch.out,
                     scratch.value_width,
                     block.rows,
                     scratch.value_width,
                     smaller(columns_in(task, block, part), part.count),
                     k > 0);
  }
  const VectorLayout& layout = block.query->out;
  write_vectors(layout,
                scratch.out,
                scratch.value_width,
                range_of(task, block),
                task.query_count,
                task.head_dim,
                S{1},
                columns_of(task, layout, result.out, task.first_query, task.out_stride),
                task.out_stride);
}

/// Calls work(block) for all queries of all kinds.
template <typename T, typename Work>
PHRASEQ_INLINE void for_each_block(const AttentionTask<T>& task, Work&& work) {
  for (int64_t a = 0; a < task.query_kinds; ++a) {
    for (int64_t first = 0; first < task.query_count; first += kQueryBlock) {
      work(Block{task.queries + a, first, smaller(kQueryBlock, task.query_count - first)});
    }
  }
}

template <typename T>
void attention(const AttentionTask<T>& task, const AttentionResult<T>& result, Sum<T>* memory) {
  const Scratch<Sum<T>> scratch(task, memory);
  read_keys(task, scratch);
  for_each_block(task, [&](const Block& block) { attend_block(task, result, scratch, block); });
}

/// Computes one row of the softmax's backward pass in place: the weights p become m · p, and
/// d_weights, dO Vᵀ, becomes the gradient of the scores, p · (m · dO Vᵀ - Σ p · m · dO Vᵀ), where m
/// is the dropout mask.
template <typename T>
PHRASEQ_INLINE void backward_row(const AttentionTask<T>& task,
                                 const Scratch<Sum<T>>& scratch,
                                 const Block& block,
                                 int64_t i,
                                 Sum<T>* weights,
                                 Sum<T>* d_weights) {
  using S = Sum<T>;
  const bool drops = task.dropout.key != 0;
  S sum = 0;
  for (int64_t k = 0; k < task.key_kinds; ++k) {
    const KeyScratch<S>& part = scratch.kinds[k];
    const int64_t columns = columns_in(task, block, part);
    S *p = weights + part.start, *d = d_weights + part.start;
    raise(p, visible(task, *block.query, part, i), columns, log_sum_of(task, *block.query, i));
    if (drops)
      drop_row(d, columns, task.dropout, first_element(task, *block.query, i, task.keys[k]));
    sum += dot(p, d, columns);
  }
  for (int64_t k = 0; k < task.key_kinds; ++k) {
    const KeyScratch<S>& part = scratch.kinds[k];
    const int64_t columns = columns_in(task, block, part);
    S *p = weights + part.start, *d = d_weights + part.start;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) d[j] = p[j] * (d[j] - sum);
    if (drops)
      drop_row(p, columns, task.dropout, first_element(task, *block.query, i, task.keys[k]));
  }
}

/// Recomputes a block's weights, and the gradients of its weights and scores.
template <typename T>
PHRASEQ_INLINE void weights_backward(const AttentionTask<T>& task,
                                     const AttentionGradients<T>& gradients,
                                     const Scratch<Sum<T>>& scratch,
                                     const Block& block) {
  using S = Sum<T>;
  score_block(task, scratch, block);
  const VectorLayout& layout = block.query->out;
  read_vectors(layout,
               columns_of(task, layout, gradients.d_out, task.first_query, task.out_stride),
               task.out_stride,
               block.first,
               block.rows,
               task.head_dim,
               S{1},
               scratch.d_out,
               scratch.value_width);
  for (int64_t k = 0; k < task.key_kinds; ++k) {
    const KeyScratch<S>& part = scratch.kinds[k];
    small_product<S>({scratch.d_out, scratch.value_width, 1},
                     part.values_across,
                     part.length,
                     scratch.d_weights + part.start,
                     scratch.length,
                     block.rows,
                     columns_in(task, block, part),
                     task.head_dim,
                     false);
  }
  for (int64_t i = 0; i < block.rows; ++i) {
    backward_row(task,
                 scratch,
                 block,
                 block.first + i,
                 scratch.weights + i * scratch.length,
                 scratch.d_weights + i * scratch.length);
  }
}

/// Adds a block's part to the gradients of one kind's keys and values.
template <typename S>
PHRASEQ_INLINE void keys_backward(const Scratch<S>& scratch,
                                  const KeyScratch<S>& part,
                                  int64_t keys,
                                  int64_t rows) {
  small_product<S>({scratch.weights + part.start, 1, scratch.length},
                   scratch.d_out,
                   scratch.value_width,
                   part.d_values,
                   scratch.value_width,
                   keys,
                   scratch.value_width,
                   rows,
                   true);
  small_product<S>({scratch.d_weights + part.start, 1, scratch.length},
                   part.queries,
                   part.width,
                   part.d_keys,
                   part.width,
                   keys,
                   part.width,
                   rows,
                   true);
}

template <typename T>
void block_backward(const AttentionTask<T>& task,
                    const AttentionGradients<T>& gradients,
                    const Scratch<Sum<T>>& scratch,
                    const Block& block) {
  using S = Sum<T>;
  weights_backward(task, gradients, scratch, block);
  for (int64_t k = 0; k < task.key_kinds; ++k) {
    const KeyScratch<S>& part = scratch.kinds[k];
    const int64_t keys = smaller(columns_in(task, block, part), part.count);
    keys_backward(scratch, part, keys, block.rows);
    small_product<S>({scratch.d_weights + part.start, scratch.length, 1},
                     part.keys,
                     part.width,
                     scratch.d_queries,
                     part.width,
                     block.rows,
                     part.width,
                     keys,
                     block.query->shared && k > 0);
    if (block.query->shared && k + 1 < task.key_kinds)
      continue;
    const VectorLayout& layout = block.layout(k);
    write_vectors(layout,
                  scratch.d_queries,
                  part.width,
                  range_of(task, block),
                  task.query_count,
                  task.head_dim,
                  S{1},
                  columns_of(task, layout, gradients.dq, task.first_query, task.q_stride),
                  task.q_stride);
  }
}

template <typename T>
PHRASEQ_INLINE void write_key_gradients(const AttentionTask<T>& task,
                                        const AttentionGradients<T>& gradients,
                                        const Scratch<Sum<T>>& scratch) {
  for (int64_t k = 0; k < task.key_kinds; ++k) {
    const KeyKind& kind = task.keys[k];
    const KeyScratch<Sum<T>>& part = scratch.kinds[k];
    const auto write =
        [&](const VectorLayout& layout, const Sum<T>* sums, int64_t width, double factor) {
          write_vectors(layout,
                        sums,
                        width,
                        {part.first, task.key_count, 0, INT64_MAX},
                        task.key_count,
                        task.head_dim,
                        static_cast<Sum<T>>(factor),
                        columns_of(task, layout, gradients.dkv, task.first_key, task.kv_stride),
                        task.kv_stride);
        };
    write(kind.key, part.d_keys, part.width, kind.scale);
    write(kind.value, part.d_values, scratch.value_width, 1.0);
  }
}

template <typename T>
void attention_backward(const AttentionTask<T>& task,
                        const AttentionGradients<T>& gradients,
                        Sum<T>* memory) {
  const Scratch<Sum<T>> scratch(task, memory);
  read_keys(task, scratch);
  for (int64_t k = 0; k < task.key_kinds; ++k) {
    const KeyScratch<Sum<T>>& part = scratch.kinds[k];
    turn(part.values,
         scratch.value_width,
         part.count,
         task.head_dim,
         part.values_across,
         part.length);
    fill_zero(part.d_keys, part.count * part.width);
    fill_zero(part.d_values, part.count * scratch.value_width);
  }
  for_each_block(task,
                 [&](const Block& block) { block_backward(task, gradients, scratch, block); });
  write_key_gradients(task, gradients, scratch);
}

}  // namespace

template <typename T>
void add_attention_kernels(Kernels<T>& kernels) {
  kernels.attention_scratch = scratch_size<T>;
  kernels.attention = attention<T>;
  kernels.attention_backward = attention_backward<T>;
}

PHRASEQ_INSTANTIATE(add_attention_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
