#include <limits>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// The maximum of `count` scores; `bad` counts those that are NaN or +infinity.
template <class Number>
PHRASEQ_INLINE Number maximum(const Number* scores, int64_t count, Number& bad) {
  constexpr Number kHighest = std::numeric_limits<Number>::max();
  Number highest = -std::numeric_limits<Number>::infinity();
  Number found = 0;  // in the element type of the vectors
#pragma omp simd reduction(max : highest) reduction(+ : found)
  for (int64_t i = 0; i < count; ++i) {
    highest = scores[i] > highest ? scores[i] : highest;
    found += scores[i] <= kHighest ? Number{0} : Number{1};
  }
  bad += found;
  return highest;
}

template <class Number>
bool block_maxima(const Number* scores, int64_t size, Number* maxima) {
  const int64_t blocks = size / kScoreBlock, rest = size % kScoreBlock;
  Number bad = 0;
  for (int64_t block = 0; block < blocks; ++block)
    maxima[block] = maximum(scores + block * kScoreBlock, kScoreBlock, bad);
  if (rest > 0)
    maxima[blocks] = maximum(scores + blocks * kScoreBlock, rest, bad);
  return bad > 0;
}

template <class Number>
PHRASEQ_INLINE uint64_t reaching_one_by_one(const Number* scores, int64_t count, Number bound) {
  uint64_t found = 0;
  for (int64_t i = 0; i < count; ++i) found |= uint64_t{scores[i] >= bound} << i;
  return found;
}

template <class Number>
uint64_t reaching(const Number* scores, int64_t count, Number bound) {
#if defined(__AVX2__)
  constexpr int64_t kLanes = 8;
  if constexpr (sizeof(Number) == sizeof(float)) {
    if (count == kScoreBlock) {
      uint64_t found = 0;
      const __m256 bounds = _mm256_set1_ps(bound);
      for (int64_t i = 0; i < kScoreBlock; i += kLanes) {
        const __m256 reach = _mm256_cmp_ps(_mm256_loadu_ps(scores + i), bounds, _CMP_GE_OQ);
        found |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_ps(reach))) << i;
      }
      return found;
    }
  }
#endif
  return reaching_one_by_one(scores, count, bound);
}

template <class Number>
PHRASEQ_INLINE double block_sum(const Number* block, Number highest) {
  Number sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < kScoreBlock; ++i) sum += exponential(block[i] - highest);
  return static_cast<double>(sum);
}

/// The last block is padded with scores of -infinity. Additional columns at -infinity after the
/// others therefore do not change the bits of the sum.
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
  kernels.reaching = reaching<Sum<T>>;
  kernels.shifted_sum = shifted_sum<Sum<T>>;
}
PHRASEQ_INSTANTIATE(add_softmax_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
