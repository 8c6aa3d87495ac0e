#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/nn/kernels/activation.h"
#include "core/nn/kernels/attend_shape.h"
#include "core/nn/kernels/processor_level.h"
#include "core/nn/kernels/vector_layout.h"

/// The loops behind core/nn/functional on the CPU. They take plain pointers and ranges of rows, and
/// know neither LibTorch nor threads: callers split the rows. Matrices are row-major and contiguous
/// unless stated. Every source of this folder except dispatch.cpp is compiled once for each
/// processor level of x86-64 and chosen at run time (processor_level.h).
namespace phraseq::nn::kernels {

/// Brain floating point: the upper half of an fp32. It has the same layout as at::BFloat16.
struct Bfloat16 {
  uint16_t bits;
};

/// The type of sums and of parameters for activations of type T: fp64 for fp64, otherwise fp32.
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

/// A dropout mask m: element e is multiplied by m[e] = scale = 1/(1-p) if its random bits reach the
/// threshold p · 2^32, otherwise by 0 (Srivastava et al. 2014, scaled in training). Elements are
/// numbered row by row; see random_bits.h. Key 0: no dropout, m = 1.
struct Dropout {
  uint64_t key = 0;
  uint32_t threshold = 0;
  double scale = 1.0;
};

/// In the numbering of attention weights for dropout, the distance from one kind of key to the
/// next.
inline constexpr int64_t kKeyKindStride = 65536;

/// The number of scores that share a maximum (Kernels::block_maxima).
inline constexpr int64_t kScoreBlock = 64;

/// Rows [first, last) of a matrix with `columns` columns.
struct RowRange {
  int64_t first = 0, last = 0, columns = 0;
};

/// One kind of query (nn::QueryKind). `queries` has one layout for each kind of key or, if
/// `shared`, one for all kinds.
struct QueryColumns {
  const VectorLayout* queries;
  bool shared;
  VectorLayout out;
  int64_t first, index;
};

/// The attention of one head in one sentence: its kinds of queries against its kinds of keys.
template <typename T>
struct AttentionTask {
  const T *q, *kv;  ///< [query rows, …] and [key rows, …] of all sentences
  int64_t q_stride, kv_stride, out_stride;  ///< elements from one row to the next
  const KeyKind* keys;
  int64_t key_kinds;
  const QueryColumns* queries;
  int64_t query_kinds;
  int64_t first_query, query_count;  ///< the sentence's rows of q
  int64_t first_key, key_count;      ///< the sentence's rows of kv
  int64_t head;                      ///< number within its group, which selects the columns
  int64_t weight_head;               ///< number among the heads of all groups
  int64_t heads;                     ///< heads of all groups
  int64_t weight_rows;               ///< heads · kinds of queries
  int64_t head_dim;
  bool causal;
  Dropout dropout;
  Sum<T>* log_sums;    ///< [query kinds · heads, query rows]: log Σ exp of each row of scores
  int64_t query_rows;  ///< of all sentences
};

/// The destinations of an AttentionTask's results. `weights` receives the softmax before dropout;
/// it may be null.
template <typename T>
struct AttentionResult {
  T* out;          ///< [query rows, out_stride]
  float* weights;  ///< [query kinds · heads, query rows, key_kinds, longest]
  int64_t key_kinds, longest;
};

/// The gradients of `out`, of q and of kv, with their shapes and strides.
template <typename T>
struct AttentionGradients {
  const T* d_out;
  T *dq, *dkv;
};

/// Sums over rows of a projected loss.
struct LossSums {
  double loss = 0.0, nll = 0.0;  ///< nll: Σ -ln p(gold)
  int64_t correct = 0;           ///< rows whose gold class has the largest logit
};

/// One row's target distribution; see nn::SmoothedTarget.
struct LossTarget {
  int64_t gold;
  double uniform, extra, constant;
};

/// The classes of a projected loss; see nn::SmoothingRule.
struct LossClasses {
  int64_t vocabulary;
  const int64_t* excluded;  ///< excluded from the softmax
  int64_t excluded_count;
  const int64_t* unsmoothed;  ///< without a uniform share, including the excluded ones
  int64_t unsmoothed_count;
};

/// Segments [first, last) of a matrix with `columns` columns: segment s is rows offsets[s] to
/// offsets[s+1] - 1.
struct SegmentRange {
  const int64_t* offsets;
  int64_t first = 0, last = 0, columns = 0;
};

/// Kernels::segment_sum backward: dy and rest [segments, columns], x [rows, columns], weights
/// [rows], and the gradients that are written. `x` and `d_weights` are null for equal weights;
/// `rest` and `d_rest`, without a rest.
template <typename T>
struct SegmentSumGradients {
  const T *dy, *x, *rest;
  const Sum<T>* weights;
  T *dx, *d_rest;
  Sum<T>* d_weights;
};

/// The inputs of Kernels::segment_scores.
template <typename T>
struct SegmentScores {
  const T *row, *segment;  ///< [rows, columns] and [segments, columns]
  const Sum<T>* w2;        ///< [columns]
  Dropout dropout;
};
/// The gradients of the scores and of the inputs, with their shapes.
template <typename T>
struct SegmentScoreGradients {
  const Sum<T>* d_scores;  ///< [rows]
  T *d_row, *d_segment;
  Sum<T>* d_w2;  ///< added to
};

/// One step of additive attention (Bahdanau et al. 2015), in S = Sum<T>: row r has a `query`, and
/// for each of its tokens j, `keys` and a few `features` x.
///
///   t_rj = tanh(keys_rj + query_r + Σ_f x_rjf · weight_f),  energy_rj = v · t_rj
template <typename S>
struct AdditiveStep {
  const S* keys;      ///< [rows, tokens, columns]
  const S* query;     ///< [rows, columns]
  const S* features;  ///< [rows, tokens, feature_count]; null = none
  const S* weight;    ///< [feature_count, columns]
  const S* v;         ///< [columns]
  const bool* mask;   ///< [rows, tokens]: false = padding
  int64_t tokens, feature_count;
};

/// The gradients of the energies and of a step's inputs, with their shapes. `activations` are t
/// [rows, tokens, columns]. Only the first `wanted_features` features have a gradient.
template <typename S>
struct AdditiveGradients {
  const S *d_energies, *activations;
  S *d_keys, *d_query;  ///< added to
  S* d_features;        ///< [rows, tokens, feature_count], written; null = not wanted
  S* d_weight;          ///< added to: [feature_count, columns], then d_v [columns]
  int64_t wanted_features;
};

/// Rows of layer normalization (Ba et al. 2016), including the residual connection and dropout
/// before it:
///
///   h = residual + m · x,  mean = Σ h / columns,  rstd = 1 / √(Σ (h - mean)² / columns + eps),
///   n = (h - mean) · rstd,  y = n · gain + bias
template <typename T>
struct NormRows {
  const T* x;
  const T* residual;  ///< null = 0
  const Sum<T>* gain;
  Sum<T>*mean, *rstd;  ///< [rows]: written by the forward pass, read by the backward pass
  Sum<T>* scratch;     ///< [columns]
  RowRange rows;
  Dropout dropout;
};

/// The gradients of normalization. With g = dy · gain,
///
///   dh = rstd · (g - Σ g / columns - n · Σ (g · n) / columns),  d_residual = dh,  dx = m · dh
template <typename T>
struct NormGradients {
  T* dx;          ///< null = not wanted; without dropout, not written, because it equals d_residual
  T* d_residual;  ///< written
  Sum<T>*d_gain, *d_bias;  ///< Σ_rows dy · n and Σ_rows dy are added
};

/// The table of all loops for activations of type T; S = Sum<T>. In the equations below, m is the
/// dropout mask, · is element-wise, and the name of a gradient starts with d. Unless stated, x, y
/// and other matrices are [rows, columns] and vectors [columns].
template <typename T>
struct Kernels {
  using S = Sum<T>;

  /// Finishes a linear map: y = m · f(x + bias), where f is the activation. x may be y.
  void (*bias_activation_dropout)(
      const T* x, const S* bias, T* y, RowRange rows, Activation activation, Dropout dropout);
  /// Computes dx = dy · m · f'(x + bias), and adds Σ_rows dx to d_bias. `kept` is y for kRelu and
  /// kSigmoid, x + bias (in T) for the others; it is not read for kNone.
  void (*bias_activation_dropout_backward)(const T* dy,
                                           const T* kept,
                                           T* dx,
                                           S* d_bias,
                                           RowRange rows,
                                           Activation activation,
                                           Dropout dropout);
  /// Adds Σ_rows x to `sums`: the gradient of a bias without an activation.
  void (*column_sums)(const T* x, S* sums, RowRange rows);

  /// Computes y = residual + m · x; residual may be null (0).
  void (*dropout_add)(const T* x, const T* residual, T* y, RowRange rows, Dropout dropout);
  /// Normalizes the rows (NormRows).
  void (*dropout_add_norm)(const NormRows<T>& in, const S* bias, double eps, T* y);
  /// Computes the gradients of dropout_add_norm (NormGradients).
  void (*dropout_add_norm_backward)(const NormRows<T>& in,
                                    const T* dy,
                                    const NormGradients<T>& gradients);

  /// Computes the energies [rows, tokens] of an additive step; at padding, `masked`. Stores t in
  /// `activations` with stride `kept` = columns; if `kept` is 0, uses only one row of it as scratch
  /// memory.
  void (*additive_energies)(const AdditiveStep<S>& step,
                            S masked,
                            S* energies,
                            S* activations,
                            int64_t kept,
                            RowRange rows);
  /// Computes the gradients of additive_energies. Tokens whose d_energies are 0 are skipped.
  /// `scratch` [columns].
  void (*additive_energies_backward)(const AdditiveStep<S>& step,
                                     const AdditiveGradients<S>& gradients,
                                     S* scratch,
                                     RowRange rows);
  /// Computes y[r] = Σ_j weights[r, j] · x[r, j]: x [rows, tokens, columns], y [rows, columns].
  void (*attended_sum)(const S* weights, const S* x, S* y, int64_t tokens, RowRange rows);
  /// Computes d_weights[r, j] = Σ_columns dy[r] · x[r, j], 0 where the weight is 0, and adds
  /// weights[r, j] · dy[r] to dx[r, j].
  void (*attended_sum_backward)(const S* dy,
                                const S* weights,
                                const S* x,
                                S* d_weights,
                                S* dx,
                                int64_t tokens,
                                RowRange rows);

  /// Looks up embeddings: y[r] = m · (scale · table[ids[r]] + position_table[positions[r]]). ids
  /// and positions [rows], table [vocabulary, columns], position_table [positions, columns] or null
  /// (0).
  void (*embed)(const int64_t* ids,
                const int64_t* positions,
                const S* table,
                const S* position_table,
                T* y,
                double scale,
                RowRange rows,
                Dropout dropout);
  /// Adds scale · m · dy[r] to row ids[r] of d_table, except where ids[r] is `skip`, and only in
  /// the columns [first_column, last_column): threads share the columns.
  void (*embed_backward)(const T* dy,
                         const int64_t* ids,
                         S* d_table,
                         double scale,
                         int64_t skip,
                         int64_t first_column,
                         int64_t last_column,
                         RowRange rows,
                         Dropout dropout);

  /// Returns how many elements of scratch an attention task needs, forward or backward.
  int64_t (*attention_scratch)(const AttentionTask<T>& task);
  /// Computes scaled dot-product attention (Vaswani et al. 2017, eq. 1) for one head of one
  /// sentence: out = (m · softmax(scale · Q Kᵀ)) V with one softmax over all kinds of keys. The
  /// result for a query that sees no key is zero. Writes task.log_sums for the backward pass.
  void (*attention)(const AttentionTask<T>& task, const AttentionResult<T>& result, S* scratch);
  /// Computes the gradients of attention, with the weights P = exp(scale · Q Kᵀ - log_sums):
  ///
  ///   dV = (m · P)ᵀ dO,  dP = m · (dO Vᵀ),  dS = P · (dP - Σ_keys P · dP),
  ///   dQ = scale · dS K,  dK = scale · dSᵀ Q
  void (*attention_backward)(const AttentionTask<T>& task,
                             const AttentionGradients<T>& gradients,
                             S* scratch);

  /// Computes the same attention, without dropout, for one query and the heads of one group, over
  /// keys that are anywhere in memory, for a step of decoding. q is the query's row, kv[i] the row
  /// of token i with its keys and values, out [heads · head_dim]. `weights` receives heads ·
  /// keys_of(tokens) numbers, head after head. Without keys, out is zero.
  void (*attend_row)(
      const T* q, const T* const* kv, int64_t tokens, const AttendShape& shape, S* weights, T* out);

  /// Computes the maximum of each kScoreBlock of `size` scores: maxima [size / kScoreBlock, rounded
  /// up]. Returns whether a score is NaN or +infinity.
  bool (*block_maxima)(const S* scores, int64_t size, S* maxima);
  /// Returns which of `count` scores, at most kScoreBlock, reach the bound: bit i is
  /// scores[i] >= bound.
  uint64_t (*reaching)(const S* scores, int64_t count, S bound);
  /// Returns Σ e^(score - highest), the denominator of a softmax: summed in S within a block of
  /// kScoreBlock, and in double over the blocks. Scores of -infinity after the others do not
  /// change it.
  double (*shifted_sum)(const S* scores, int64_t size, S highest);

  /// Adds the label-smoothed cross entropy of one row of logits [vocabulary] to `sums`, and returns
  /// ln p(gold), where p = softmax(logits + bias). bias [vocabulary] may be null. If
  /// `with_gradient`, the logits are replaced by the gradient p - q; the loss and q are those of
  /// nn::SmoothedTarget. `scratch` [vocabulary].
  double (*loss_row)(T* logits,
                     const S* bias,
                     const LossTarget& target,
                     const LossClasses& classes,
                     bool with_gradient,
                     S* scratch,
                     LossSums* sums);

  /// Computes y[s] = max_r x[r] over the rows r of segment s, 0 without rows. x [rows, columns], y
  /// [segments, columns]. `winners` [segments, columns] records which row of the segment it was,
  /// the first if several are equal.
  void (*segment_max)(const T* x, T* y, int32_t* winners, SegmentRange range);
  /// Computes dx[r] = dy[s] in the columns where row r was the winner, otherwise 0.
  void (*segment_max_backward)(const T* dy, const int32_t* winners, T* dx, SegmentRange range);
  /// Computes y[s] = Σ_r weights[r] · x[r] + (1 - Σ_r weights[r]) · rest[s] over the rows r of
  /// segment s. x [rows, columns], weights [rows] or null (1 / the segment's rows), rest and y
  /// [segments, columns], rest or null (0). `scratch` [columns].
  void (*segment_sum)(
      const T* x, const T* rest, const S* weights, T* y, S* scratch, SegmentRange range);
  /// Computes dx[r] = weights[r] · dy[s], d_rest[s] = (1 - Σ_r weights[r]) · dy[s], and
  /// d_weights[r] = Σ_columns dy[s] · (x[r] - rest[s]).
  void (*segment_sum_backward)(const SegmentSumGradients<T>& task, SegmentRange range);
  /// Computes additive scores (Bahdanau et al. 2015, with a sigmoid) of the rows r of segment s:
  /// scores[r] = Σ_columns w2 · sigmoid(m · (row[r] + segment[s])). scores [rows].
  void (*segment_scores)(const SegmentScores<T>& task, S* scores, SegmentRange range);
  /// Computes d_row[r] = d_scores[r] · w2 · σ · (1 - σ) · m, where σ is the sigmoid above, and
  /// d_segment[s] = Σ_r d_row[r], and adds Σ_r d_scores[r] · σ to d_w2. `scratch` [columns].
  void (*segment_scores_backward)(const SegmentScores<T>& task,
                                  const SegmentScoreGradients<T>& gradients,
                                  S* scratch,
                                  SegmentRange range);
};

/// Returns the loops for a level that this processor supports. T: float, double or Bfloat16.
template <typename T>
const Kernels<T>& kernels(Level level);
extern template PHRASEQ_API const Kernels<float>& kernels(Level);
extern template PHRASEQ_API const Kernels<double>& kernels(Level);
extern template PHRASEQ_API const Kernels<Bfloat16>& kernels(Level);

}  // namespace phraseq::nn::kernels
