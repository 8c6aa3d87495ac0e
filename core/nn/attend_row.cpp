#include "core/nn/attend_row.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/nn/exponential.h"
#include "core/nn/vector_clones.h"

namespace phraseq::nn {

namespace {

PHRASEQ_INLINE float load(float x) { return x; }
PHRASEQ_INLINE double load(double x) { return x; }
PHRASEQ_INLINE float load(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

PHRASEQ_INLINE void store(float x, float& to) { to = x; }
PHRASEQ_INLINE void store(double x, double& to) { to = x; }
/// Round to nearest even; what is no number stays none.
PHRASEQ_INLINE void store(float x, uint16_t& to) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  to = static_cast<uint16_t>(x != x ? 0x7fc0u : rounded);
}

template <class Element, class Sum>
PHRASEQ_INLINE Sum dot(const Element* a, const Element* b, int64_t size) {
  Sum sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < size; ++i) sum += load(a[i]) * load(b[i]);
  return sum;
}

/// Softmax of `scores` in place.
template <class Sum>
PHRASEQ_INLINE void softmax(Sum* scores, int64_t size) {
  Sum highest = -std::numeric_limits<Sum>::infinity();
#pragma omp simd reduction(max : highest)
  for (int64_t i = 0; i < size; ++i) highest = scores[i] > highest ? scores[i] : highest;
  Sum total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < size; ++i) {
    scores[i] = exponential(scores[i] - highest);
    total += scores[i];
  }
  const Sum inverse = 1 / total;
  for (int64_t i = 0; i < size; ++i) scores[i] *= inverse;
}

/// out[head] = Σ weight · value, in pieces that stay in registers.
template <class Element, class Sum>
PHRASEQ_INLINE void mix_values(const Element* const* kv,
                               int64_t keys,
                               int64_t value_offset,
                               const Sum* weights,
                               int64_t size,
                               Element* out) {
  constexpr int64_t kPiece = 64;
  for (int64_t begin = 0; begin < size; begin += kPiece) {
    Sum sums[kPiece] = {};
    const int64_t count = std::min(kPiece, size - begin);
    for (int64_t key = 0; key < keys; ++key) {
      const Element* value = kv[key] + value_offset + begin;
      const Sum weight = weights[key];
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) sums[i] += weight * load(value[i]);
    }
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) store(sums[i], out[begin + i]);
  }
}

template <class Element, class Sum>
PHRASEQ_INLINE void attend(const Element* q,
                           const Element* const* kv,
                           int64_t keys,
                           const AttendShape& shape,
                           Sum* weights,
                           Element* out) {
  const int64_t size = shape.head_dim;
  const int64_t model = shape.heads * size;
  const auto scale = static_cast<Sum>(shape.scale);
  for (int64_t head = 0; head < shape.heads; ++head) {
    Sum* row = weights + head * keys;
    for (int64_t key = 0; key < keys; ++key) {
      row[key] = scale * dot<Element, Sum>(q + head * size, kv[key] + head * size, size);
    }
    if (keys > 0)
      softmax(row, keys);
    mix_values(kv, keys, model + head * size, row, size, out + head * size);
  }
}

}  // namespace

PHRASEQ_VECTOR_CLONES
void attend_row(const float* q,
                const float* const* kv,
                int64_t keys,
                const AttendShape& shape,
                float* weights,
                float* out) {
  attend(q, kv, keys, shape, weights, out);
}

PHRASEQ_VECTOR_CLONES
void attend_row(const double* q,
                const double* const* kv,
                int64_t keys,
                const AttendShape& shape,
                double* weights,
                double* out) {
  attend(q, kv, keys, shape, weights, out);
}

PHRASEQ_VECTOR_CLONES
void attend_row(const uint16_t* q,
                const uint16_t* const* kv,
                int64_t keys,
                const AttendShape& shape,
                float* weights,
                uint16_t* out) {
  attend(q, kv, keys, shape, weights, out);
}

}  // namespace phraseq::nn
