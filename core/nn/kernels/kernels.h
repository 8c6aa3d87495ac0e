#pragma once

#include <cstdint>

#include "core/base/api.h"

/// The loops behind functional.h on the CPU: on plain pointers and ranges of rows, without LibTorch
/// and without threads (callers split the rows). Every source of this folder except dispatch.cpp is
/// compiled once for each processor level of x86-64 and chosen at run time.
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

/// Columns of attention weights from one kind of key to the next, where a dropout mask numbers them.
inline constexpr int64_t kKeyKindStride = 65536;

enum class Curve { kNone, kRelu, kGelu, kSwish, kSigmoid };

/// Rows [first, last) of a matrix with `columns` columns.
struct RowRange {
  int64_t first = 0, last = 0, columns = 0;
};

/// One sentence's rows of one head. Strides are in elements from row to row.
template <typename T>
struct AttentionTask {
  const T *q, *k, *v;
  int64_t q_stride, kv_stride;
  int64_t queries, keys;
  int64_t head_dim;
  double scale;
  bool causal;
  Dropout dropout;
  int64_t first_query_row, heads, head;  ///< number the dropout's elements
  Sum<T>* log_sums;  ///< [queries] with stride `heads`: log Σ exp of each row of scores
};

/// Forward: where the results go. `weights` (may be null): [queries, ≥ keys], `weight_share` times
/// this head's weights are added.
template <typename T>
struct AttentionResult {
  T* out;
  int64_t out_stride;
  float* weights;
  int64_t weights_stride;
  float weight_share;
};

template <typename T>
struct AttentionGradients {
  const T* d_out;
  int64_t d_out_stride;
  T *dq, *dk, *dv;
  int64_t dq_stride, dkv_stride;
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

  /// y = dropout(curve(x + bias)); x may be y.
  void (*bias_curve_dropout)(
      const T* x, const S* bias, T* y, RowRange rows, Curve curve, Dropout dropout);
  /// dx = dy · dropout · curve'; adds the column sums to `d_bias`. `kept` is y for kRelu and
  /// kSigmoid, x + bias (in T) for the other curves; not read for kNone.
  void (*bias_curve_dropout_backward)(
      const T* dy, const T* kept, T* dx, S* d_bias, RowRange rows, Curve curve, Dropout dropout);
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
  int64_t (*attention_scratch)(int64_t queries, int64_t keys, int64_t head_dim);
  void (*attention)(const AttentionTask<T>& task, const AttentionResult<T>& result, S* scratch);
  void (*attention_backward)(const AttentionTask<T>& task,
                             const AttentionGradients<T>& gradients,
                             S* scratch);

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

/// Processor levels as in the x86-64 psABI; other processors have kBaseline only.
enum class Level { kBaseline, kV3, kV4 };

/// The highest level that this processor has; the environment variable PHRASEQ_CPU_LEVEL (baseline,
/// v3, v4) lowers it.
PHRASEQ_API Level best_level();
PHRASEQ_API bool has_level(Level level);
/// The loops for a level that this processor has. T: float, double, Bfloat16.
template <typename T>
const Kernels<T>& kernels(Level level);
extern template PHRASEQ_API const Kernels<float>& kernels(Level);
extern template PHRASEQ_API const Kernels<double>& kernels(Level);
extern template PHRASEQ_API const Kernels<Bfloat16>& kernels(Level);

}  // namespace phraseq::nn::kernels
