#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/nn/kernels/activation.h"
#include "core/nn/kernels/attend_shape.h"
#include "core/nn/kernels/processor_level.h"
#include "core/nn/kernels/vector_layout.h"

/// The loops behind functional.h on the CPU: on plain pointers and ranges of rows, without LibTorch
/// and without threads (callers split the rows). Every source of this folder except dispatch.cpp is
/// compiled once for each processor level of x86-64 and chosen at run time (processor_level.h).
namespace phraseq::nn::kernels {

/// Brain floating point: the upper half of an fp32. Same layout as at::BFloat16.
struct Bfloat16 {
  uint16_t bits;
};

/// The type that sums are made in and that vectors of parameters have.
template <typename T>
struct SumType {
  using type = float;
};
template <>
struct SumType<double> {
  using type = double;
};
template <typename T>
using Sum = typename SumType<T>::type;

/// Which elements stay: those whose random bits reach the threshold, times `scale` = 1/(1-p).
/// Key 0: all.
struct Dropout {
  uint64_t key = 0;
  uint32_t threshold = 0;
  double scale = 1.0;
};

/// Columns of attention weights from one kind of key to the next, where a dropout mask numbers
/// them.
inline constexpr int64_t kKeyKindStride = 65536;

/// Scores whose maximum is kept together (Kernels::block_maxima).
inline constexpr int64_t kScoreBlock = 64;

/// Rows [first, last) of a matrix with `columns` columns.
struct RowRange {
  int64_t first = 0, last = 0, columns = 0;
};

/// One kind of query: see nn::QueryKind. `queries`: one layout for each kind of key or, when
/// `shared`, one for all.
struct QueryColumns {
  const VectorLayout* queries;
  bool shared;
  VectorLayout out;
  int64_t first, index;
};

/// One head of one sentence: its kinds of queries against its kinds of keys. Matrices are whole,
/// strides are in elements from row to row.
template <typename T>
struct AttentionTask {
  const T *q, *kv;
  int64_t q_stride, kv_stride, out_stride;
  const KeyKind* keys;
  int64_t key_kinds;
  const QueryColumns* queries;
  int64_t query_kinds;
  int64_t first_query, query_count;  ///< rows of the sentence
  int64_t first_key, key_count;
  int64_t head;         ///< in its group: which columns
  int64_t weight_head;  ///< among all, of query kind 0
  int64_t heads;        ///< all
  int64_t weight_rows;  ///< heads times all kinds of queries
  int64_t head_dim;
  bool causal;
  Dropout dropout;
  Sum<T>* log_sums;  ///< [query kinds · heads, query rows]: log Σ exp of each row of scores
  int64_t query_rows;
};

/// Where weights are written (`weights` may be null): element [weight row, query row, kind of key,
/// key].
template <typename T>
struct AttentionResult {
  T* out;
  float* weights;
  int64_t key_kinds, longest;
};

template <typename T>
struct AttentionGradients {
  const T* d_out;
  T *dq, *dkv;
};

/// Sums over rows of a projected loss.
struct LossSums {
  double loss = 0.0, nll = 0.0;
  int64_t correct = 0;
};

/// One row's target distribution; see SmoothedTarget.
struct LossTarget {
  int64_t gold;
  double uniform, extra, constant;
};

struct LossClasses {
  int64_t vocabulary;
  const int64_t* excluded;
  int64_t excluded_count;
  const int64_t* unsmoothed;  ///< the excluded among them
  int64_t unsmoothed_count;
};

/// Segments [first, last) of a matrix with `columns` columns: segment s is rows offsets[s] to
/// offsets[s+1].
struct SegmentRange {
  const int64_t* offsets;
  int64_t first = 0, last = 0, columns = 0;
};

/// Gradients of a weighted sum over segments. `x` and `d_weights` are null where the weights are
/// equal shares; `rest` and `d_rest` where there is no rest.
template <typename T>
struct SegmentSumGradients {
  const T *dy, *x, *rest;
  const Sum<T>* weights;
  T *dx, *d_rest;
  Sum<T>* d_weights;
};

/// Additive scores: w2 · sigmoid(dropout(row[r] + segment[s])) for each row r of each segment s.
template <typename T>
struct SegmentScores {
  const T *row, *segment;
  const Sum<T>* w2;  ///< [columns]
  Dropout dropout;
};
template <typename T>
struct SegmentScoreGradients {
  const Sum<T>* d_scores;  ///< [rows]
  T *d_row, *d_segment;
  Sum<T>* d_w2;  ///< added to
};

/// All loops for one element type T; S = Sum<T>.
template <typename T>
struct Kernels {
  using S = Sum<T>;

  /// y = dropout(activation(x + bias)); x may be y.
  void (*bias_activation_dropout)(
      const T* x, const S* bias, T* y, RowRange rows, Activation activation, Dropout dropout);
  /// dx = dy · dropout · activation'; adds the column sums to `d_bias`. `kept` is y for kRelu and
  /// kSigmoid, x + bias (in T) for the others; not read for kNone.
  void (*bias_activation_dropout_backward)(const T* dy,
                                           const T* kept,
                                           T* dx,
                                           S* d_bias,
                                           RowRange rows,
                                           Activation activation,
                                           Dropout dropout);
  /// Adds the sum of each column to `sums`.
  void (*column_sums)(const T* x, S* sums, RowRange rows);

  /// y = residual + dropout(x); residual may be null (0).
  void (*dropout_add)(const T* x, const T* residual, T* y, RowRange rows, Dropout dropout);
  /// y = LN(residual + dropout(x)); residual may be null. mean and rstd [rows]. `scratch`
  /// [columns].
  void (*dropout_add_norm)(const T* x,
                           const T* residual,
                           const S* gain,
                           const S* bias,
                           T* y,
                           S* mean,
                           S* rstd,
                           S* scratch,
                           double eps,
                           RowRange rows,
                           Dropout dropout);
  /// d_residual = gradient of the sum, dx = dropout of it (dx may be null or d_residual); adds to
  /// d_gain and d_bias. `scratch` [columns].
  void (*dropout_add_norm_backward)(const T* dy,
                                    const T* x,
                                    const T* residual,
                                    const S* gain,
                                    const S* mean,
                                    const S* rstd,
                                    T* dx,
                                    T* d_residual,
                                    S* d_gain,
                                    S* d_bias,
                                    S* scratch,
                                    RowRange rows,
                                    Dropout dropout);

  /// y = dropout(scale · table[ids] + position_table[positions]); position_table may be null.
  void (*embed)(const int64_t* ids,
                const int64_t* positions,
                const S* table,
                const S* position_table,
                T* y,
                double scale,
                RowRange rows,
                Dropout dropout);
  /// Adds scale · dropout(dy) to the rows `ids` of d_table: all rows but those of `skip`, and of
  /// each row the columns [first_column, last_column).
  void (*embed_backward)(const T* dy,
                         const int64_t* ids,
                         S* d_table,
                         double scale,
                         int64_t skip,
                         int64_t first_column,
                         int64_t last_column,
                         RowRange rows,
                         Dropout dropout);

  /// Elements of scratch that an attention task needs, forward or backward.
  int64_t (*attention_scratch)(const AttentionTask<T>& task);
  void (*attention)(const AttentionTask<T>& task, const AttentionResult<T>& result, S* scratch);
  void (*attention_backward)(const AttentionTask<T>& task,
                             const AttentionGradients<T>& gradients,
                             S* scratch);

  /// One query's scaled dot-product attention over keys that lie anywhere in memory, for the heads
  /// of one group: per head softmax over all kinds of keys, then their values. Without keys the
  /// output is zero. q is the query's row; kv[i] points at the i-th token's keys and values; out
  /// [heads · head_dim]. `weights` has room for heads · keys_of(tokens) numbers and receives them,
  /// head after head.
  void (*attend_row)(
      const T* q, const T* const* kv, int64_t tokens, const AttendShape& shape, S* weights, T* out);

  /// The maximum of each kScoreBlock scores, [size / kScoreBlock, rounded up]; true when a NaN or
  /// +infinity was seen.
  bool (*block_maxima)(const S* scores, int64_t size, S* maxima);
  /// Bit i: scores[i] >= bound, for `count` scores, at most kScoreBlock.
  uint64_t (*reaching)(const S* scores, int64_t count, S bound);
  /// Σ e^(score - highest): a block in the scores' precision, blocks in double. Scores of -infinity
  /// behind the others change nothing.
  double (*shifted_sum)(const S* scores, int64_t size, S highest);

  /// Loss of one row of logits [vocabulary] (bias [vocabulary] may be null); turns them into their
  /// gradient when `with_gradient`. `scratch` [vocabulary]; returns log p(gold).
  double (*loss_row)(T* logits,
                     const S* bias,
                     const LossTarget& target,
                     const LossClasses& classes,
                     bool with_gradient,
                     S* scratch,
                     LossSums* sums);

  /// y[segment] = maximum of its rows, 0 without rows; `winners` [segments, columns] says which row
  /// of the segment it was, the first of equals.
  void (*segment_max)(const T* x, T* y, int32_t* winners, SegmentRange range);
  void (*segment_max_backward)(const T* dy, const int32_t* winners, T* dx, SegmentRange range);
  /// y[segment] = Σ weights x + (1 - Σ weights) rest; null weights: equal shares; null rest: 0.
  /// `scratch` [columns].
  void (*segment_sum)(
      const T* x, const T* rest, const S* weights, T* y, S* scratch, SegmentRange range);
  void (*segment_sum_backward)(const SegmentSumGradients<T>& task, SegmentRange range);
  void (*segment_scores)(const SegmentScores<T>& task, S* scores, SegmentRange range);
  /// `scratch` [columns].
  void (*segment_scores_backward)(const SegmentScores<T>& task,
                                  const SegmentScoreGradients<T>& gradients,
                                  S* scratch,
                                  SegmentRange range);
};

/// The loops for a level that this processor has. T: float, double, Bfloat16.
template <typename T>
const Kernels<T>& kernels(Level level);
extern template PHRASEQ_API const Kernels<float>& kernels(Level);
extern template PHRASEQ_API const Kernels<double>& kernels(Level);
extern template PHRASEQ_API const Kernels<Bfloat16>& kernels(Level);

}  // namespace phraseq::nn::kernels
