#include <limits>

#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

PHRASEQ_INLINE int64_t block_end(int64_t begin, int64_t size) {
  return size - begin < kScoreBlock ? size : begin + kScoreBlock;
}

template <class Number>
bool block_maxima(const Number* scores, int64_t size, Number* maxima) {
  constexpr Number kHighest = std::numeric_limits<Number>::max();
  Number bad = 0;  // counted in the vectors' own type
  for (int64_t begin = 0; begin < size; begin += kScoreBlock) {
    const int64_t end = block_end(begin, size);
    Number highest = -std::numeric_limits<Number>::infinity();
#pragma omp simd reduction(max : highest) reduction(+ : bad)
    for (int64_t i = begin; i < end; ++i) {
      highest = scores[i] > highest ? scores[i] : highest;
      bad += scores[i] <= kHighest ? Number{0} : Number{1};
    }
    maxima[begin / kScoreBlock] = highest;
  }
  return bad > 0;
}

template <class Number>
PHRASEQ_INLINE double block_sum(const Number* block, Number highest) {
  Number sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < kScoreBlock; ++i) sum += exponential(block[i] - highest);
  return static_cast<double>(sum);
}

/// The last block is filled up with scores of no probability, so that such columns behind the
/// others leave the sum as it is, to the bit.
template <class Number>
double shifted_sum(const Number* scores, int64_t size, Number highest) {
  double total = 0;
  const int64_t whole = size - size % kScoreBlock;
  for (int64_t begin = 0; begin < whole; begin += kScoreBlock)
    total += block_sum(scores + begin, highest);
  if (whole == size)
    return total;
  Number last[kScoreBlock];
  for (int64_t i = 0; i < kScoreBlock; ++i)
    last[i] = whole + i < size ? scores[whole + i] : -std::numeric_limits<Number>::infinity();
  return total + block_sum(last, highest);
}

}  // namespace

template <typename T>
void add_softmax_kernels(Kernels<T>& kernels) {
  kernels.block_maxima = block_maxima<Sum<T>>;
  kernels.shifted_sum = shifted_sum<Sum<T>>;
}
PHRASEQ_INSTANTIATE(add_softmax_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
