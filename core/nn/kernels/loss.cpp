#include <limits>

#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

// Softmax and cross entropy of one row of logits, and its gradient, while the row is in the cache.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

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

/// z to exp(z - top); their sum.
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

template <typename T>
double loss_row(T* logits,
                const Sum<T>* bias,
                const LossTarget& target,
                const LossClasses& classes,
                bool with_gradient,
                Sum<T>* z,
                LossSums* sums) {
  using S = Sum<T>;
  const int64_t count = classes.vocabulary;
  widen(logits, bias, count, z);
  const S gold = z[target.gold];
  double unsmoothed = 0.0;
  for (int64_t i = 0; i < classes.unsmoothed_count; ++i) unsmoothed += z[classes.unsmoothed[i]];
  // An excluded class must not be the maximum: it stands in as the gold until the exponentials are
  // made.
  for (int64_t i = 0; i < classes.excluded_count; ++i) {
    S& excluded = z[classes.excluded[i]];
    unsmoothed += static_cast<double>(gold) - static_cast<double>(excluded);
    excluded = gold;
  }
  const MaxAndSum<S> seen = max_and_sum(z, count);
  S total = exponentials(z, count, seen.top);
  if (classes.excluded_count > 0) {
    for (int64_t i = 0; i < classes.excluded_count; ++i) z[classes.excluded[i]] = 0;
    total = 0;
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < count; ++i) total += z[i];
  }
  const double log_sum = static_cast<double>(seen.top) + std::log(static_cast<double>(total));
  double log_p = static_cast<double>(gold) - log_sum;
  for (int64_t i = 0; i < classes.excluded_count; ++i) {
    if (classes.excluded[i] == target.gold)
      log_p = -std::numeric_limits<double>::infinity();
  }
  sums->nll -= log_p;
  // Σ q = 1 splits into uniform · |S| + extra, hence the logarithm once in extra · log p.
  const double smoothed = static_cast<double>(count - classes.unsmoothed_count);
  sums->loss +=
      target.uniform * (smoothed * log_sum - (static_cast<double>(seen.sum) - unsmoothed)) -
      target.extra * log_p + target.constant;
  sums->correct += gold >= seen.top ? 1 : 0;
  if (!with_gradient)
    return log_p;
  const S share = S{1} / total, uniform = static_cast<S>(target.uniform);
  const S gold_p = z[target.gold] * share;
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) store(logits + i, z[i] * share - uniform);
  for (int64_t i = 0; i < classes.unsmoothed_count; ++i) {
    const int64_t id = classes.unsmoothed[i];
    store(logits + id, z[id] * share);
    if (id == target.gold)
      store(logits + id, gold_p - static_cast<S>(target.extra));
  }
  bool gold_is_smoothed = true;
  for (int64_t i = 0; i < classes.unsmoothed_count; ++i) {
    gold_is_smoothed = gold_is_smoothed && classes.unsmoothed[i] != target.gold;
  }
  if (gold_is_smoothed)
    store(logits + target.gold, gold_p - uniform - static_cast<S>(target.extra));
  return log_p;
}

}  // namespace

template <typename T>
void add_loss_kernels(Kernels<T>& kernels) {
  kernels.loss_row = loss_row<T>;
}

PHRASEQ_INSTANTIATE(add_loss_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
