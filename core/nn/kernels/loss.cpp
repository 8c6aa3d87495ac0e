#include <limits>

#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

// Softmax and cross entropy of one row of logits, and its gradient, while the row is in the cache.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// Computes z = logits + bias in fp32 (fp64).
template <typename T>
PHRASEQ_INLINE void widen(const T* logits, const Sum<T>* bias, int64_t count, Sum<T>* z) {
  if (bias) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) z[i] = load(logits[i]) + bias[i];
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) z[i] = load(logits[i]);
  }
}

template <typename S>
struct MaxAndSum {
  S top, sum;
};

template <typename S>
PHRASEQ_INLINE MaxAndSum<S> max_and_sum(const S* z, int64_t count) {
  S top = z[0], sum = 0;
#pragma omp simd reduction(max : top) reduction(+ : sum)
  for (int64_t i = 0; i < count; ++i) {
    top = z[i] > top ? z[i] : top;
    sum += z[i];
  }
  return {top, sum};
}

/// Turns z into exp(z - top) and returns the sum.
template <typename S>
PHRASEQ_INLINE S exponentials(S* z, int64_t count, S top) {
  S sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < count; ++i) {
    const S e = exponential(z[i] - top);
    z[i] = e;
    sum += e;
  }
  return sum;
}

/// The numbers from which the loss of a row is computed; z has been replaced by exp(z - top).
template <typename S>
struct RowSums {
  S gold;           ///< logit of the gold class
  S top;            ///< the largest logit
  S total;          ///< Σ exp(z - top)
  double log_sum;   ///< ln Σ exp(z)
  double smoothed;  ///< Σ of the logits of all smoothed classes
};

PHRASEQ_INLINE bool contains(const int64_t* ids, int64_t count, int64_t id) {
  for (int64_t i = 0; i < count; ++i) {
    if (ids[i] == id)
      return true;
  }
  return false;
}

/// Returns Σ of the logits of classes that are not smoothed. An excluded class must not be the
/// maximum, so it is assigned the gold class's logit until the exponentials are computed; the sum
/// of all logits then contains that logit once more.
template <typename S>
PHRASEQ_INLINE double replace_excluded(S* z, S gold, const LossClasses& classes) {
  double unsmoothed = 0.0;
  for (int64_t i = 0; i < classes.unsmoothed_count; ++i) unsmoothed += z[classes.unsmoothed[i]];
  for (int64_t i = 0; i < classes.excluded_count; ++i) {
    S& excluded = z[classes.excluded[i]];
    unsmoothed += static_cast<double>(gold) - static_cast<double>(excluded);
    excluded = gold;
  }
  return unsmoothed;
}

/// Sets the exponentials of excluded classes to 0 and returns the sum of the others.
template <typename S>
PHRASEQ_INLINE S total_without_excluded(S* z, const LossClasses& classes) {
  for (int64_t i = 0; i < classes.excluded_count; ++i) z[classes.excluded[i]] = 0;
  S total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < classes.vocabulary; ++i) total += z[i];
  return total;
}

template <typename S>
PHRASEQ_INLINE RowSums<S> sums_of_row(S* z, int64_t gold_id, const LossClasses& classes) {
  const S gold = z[gold_id];
  const double unsmoothed = replace_excluded(z, gold, classes);
  const MaxAndSum<S> seen = max_and_sum(z, classes.vocabulary);
  S total = exponentials(z, classes.vocabulary, seen.top);
  if (classes.excluded_count > 0)
    total = total_without_excluded(z, classes);
  return {gold,
          seen.top,
          total,
          static_cast<double>(seen.top) + std::log(static_cast<double>(total)),
          static_cast<double>(seen.sum) - unsmoothed};
}

/// Adds the row to the sums and returns ln p(gold).
template <typename S>
PHRASEQ_INLINE double add_row(const RowSums<S>& row,
                              const LossTarget& target,
                              const LossClasses& classes,
                              LossSums* sums) {
  const bool is_excluded = contains(classes.excluded, classes.excluded_count, target.gold);
  const double log_p = is_excluded ? -std::numeric_limits<double>::infinity()
                                   : static_cast<double>(row.gold) - row.log_sum;
  // Σ q = 1 splits into uniform · |S| + extra, so the logarithm occurs only once in extra · log p.
  const auto smoothed_count = static_cast<double>(classes.vocabulary - classes.unsmoothed_count);
  sums->nll -= log_p;
  sums->loss += target.uniform * (smoothed_count * row.log_sum - row.smoothed) -
                target.extra * log_p + target.constant;
  sums->correct += row.gold >= row.top ? 1 : 0;
  return log_p;
}

/// Writes ∂loss/∂logits = p - q, from z = exp(logits - top).
template <typename T>
PHRASEQ_INLINE void store_gradient(T* logits,
                                   const Sum<T>* z,
                                   Sum<T> total,
                                   const LossTarget& target,
                                   const LossClasses& classes) {
  using S = Sum<T>;
  const S share = S{1} / total, uniform = static_cast<S>(target.uniform);
#pragma GCC ivdep
  for (int64_t i = 0; i < classes.vocabulary; ++i) store(logits + i, z[i] * share - uniform);
  for (int64_t i = 0; i < classes.unsmoothed_count; ++i)
    store(logits + classes.unsmoothed[i], z[classes.unsmoothed[i]] * share);
  const bool is_smoothed = !contains(classes.unsmoothed, classes.unsmoothed_count, target.gold);
  const S gold_p = z[target.gold] * share;
  store(logits + target.gold,
        (is_smoothed ? gold_p - uniform : gold_p) - static_cast<S>(target.extra));
}

template <typename T>
double loss_row(T* logits,
                const Sum<T>* bias,
                const LossTarget& target,
                const LossClasses& classes,
                bool with_gradient,
                Sum<T>* z,
                LossSums* sums) {
  widen(logits, bias, classes.vocabulary, z);
  const RowSums<Sum<T>> row = sums_of_row(z, target.gold, classes);
  const double log_p = add_row(row, target, classes, sums);
  if (with_gradient)
    store_gradient(logits, z, row.total, target, classes);
  return log_p;
}

}  // namespace

template <typename T>
void add_loss_kernels(Kernels<T>& kernels) {
  kernels.loss_row = loss_row<T>;
}

PHRASEQ_INSTANTIATE(add_loss_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
