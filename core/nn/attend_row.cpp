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

/// A key's score against a query, piece by piece; pieces before the first token count as zero.
template <class Element, class Sum>
PHRASEQ_INLINE Sum score(const Element* q,
                         const VectorLayout& query,
                         const Element* const* kv,
                         const VectorLayout& key,
                         int64_t token,
                         int64_t head_column,
                         int64_t size) {
  Sum sum = 0;
  for (int64_t j = 0; j < key.parts; ++j) {
    const int64_t from = token - key.part_lag * (key.parts - 1 - j);
    if (from < 0)
      continue;
    sum += dot<Element, Sum>(q + query.column + j * query.part_step + head_column,
                             kv[from] + key.column + j * key.part_step + head_column,
                             size);
  }
  return sum;
}

/// out = Σ weight · value over all kinds, in pieces that stay in registers.
template <class Element, class Sum>
PHRASEQ_INLINE void mix_values(const Element* const* kv,
                               int64_t tokens,
                               const AttendShape& shape,
                               int64_t head_column,
                               const Sum* weights,
                               Element* out) {
  constexpr int64_t kPiece = 64;
  for (int64_t begin = 0; begin < shape.head_dim; begin += kPiece) {
    Sum sums[kPiece] = {};
    const int64_t count = std::min(kPiece, shape.head_dim - begin);
    const Sum* weight = weights;
    for (int64_t k = 0; k < shape.kind_count; ++k) {
      const int64_t column = shape.kinds[k].value.column + head_column + begin;
      for (int64_t token = shape.kinds[k].first; token < tokens; ++token, ++weight) {
        const Element* value = kv[token] + column;
#pragma omp simd
        for (int64_t i = 0; i < count; ++i) sums[i] += *weight * load(value[i]);
      }
    }
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) store(sums[i], out[begin + i]);
  }
}

template <class Element, class Sum>
PHRASEQ_INLINE void attend(const Element* q,
                           const Element* const* kv,
                           int64_t tokens,
                           const AttendShape& shape,
                           Sum* weights,
                           Element* out) {
  const int64_t keys = shape.keys_of(tokens);
  for (int64_t head = 0; head < shape.heads; ++head) {
    const int64_t head_column = head * shape.head_dim;
    Sum* row = weights + head * keys;
    Sum* next = row;
    for (int64_t k = 0; k < shape.kind_count; ++k) {
      const KeyKind& kind = shape.kinds[k];
      const VectorLayout& query = shape.queries[shape.shared_query ? 0 : k];
      const auto scale = static_cast<Sum>(kind.scale);
      for (int64_t token = kind.first; token < tokens; ++token) {
        *next++ =
            scale * score<Element, Sum>(q, query, kv, kind.key, token, head_column, shape.head_dim);
      }
    }
    if (keys > 0)
      softmax(row, keys);
    mix_values(kv, tokens, shape, head_column, row, out + head_column);
  }
}

}  // namespace

PHRASEQ_VECTOR_CLONES
void attend_row(const float* q,
                const float* const* kv,
                int64_t tokens,
                const AttendShape& shape,
                float* weights,
                float* out) {
  attend(q, kv, tokens, shape, weights, out);
}

PHRASEQ_VECTOR_CLONES
void attend_row(const double* q,
                const double* const* kv,
                int64_t tokens,
                const AttendShape& shape,
                double* weights,
                double* out) {
  attend(q, kv, tokens, shape, weights, out);
}

PHRASEQ_VECTOR_CLONES
void attend_row(const uint16_t* q,
                const uint16_t* const* kv,
                int64_t tokens,
                const AttendShape& shape,
                float* weights,
                uint16_t* out) {
  attend(q, kv, tokens, shape, weights, out);
}

}  // namespace phraseq::nn
