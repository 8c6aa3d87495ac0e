#include <limits>

#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

PHRASEQ_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Sixteen numbers at once, lowered to whatever registers the instruction set has.
constexpr int64_t kLanes = 16;
template <class Sum>
struct LanesOf {
  typedef Sum type
      __attribute__((vector_size(kLanes * sizeof(Sum)), aligned(sizeof(Sum)), may_alias));
};
template <class Sum>
using Lanes = typename LanesOf<Sum>::type;

/// Keys are scored by eights where registers suffice, and the last ones by fours.
#ifdef __AVX512F__
constexpr int kMostKeys = 8;
#else
constexpr int kMostKeys = 4;
#endif
template <class Sum, int keys>
struct SumsOf {
  typedef Sum type __attribute__((vector_size(keys * sizeof(Sum)), aligned(sizeof(Sum))));
};
template <class Sum, int keys>
using Sums = typename SumsOf<Sum, keys>::type;
template <class Sum>
using Quad = Sums<Sum, 4>;

PHRASEQ_INLINE void load_lanes(const float* from, Lanes<float>& to) {
  to = *reinterpret_cast<const Lanes<float>*>(from);
}
PHRASEQ_INLINE void load_lanes(const double* from, Lanes<double>& to) {
  to = *reinterpret_cast<const Lanes<double>*>(from);
}
PHRASEQ_INLINE void load_lanes(const Bfloat16* from, Lanes<float>& to) {
  const auto bits =
      __builtin_convertvector(*reinterpret_cast<const Lanes<uint16_t>*>(from), Lanes<uint32_t>);
  to = reinterpret_cast<Lanes<float>>(bits << 16);
}

/// Lane i of eight: the sum of the lanes i and i + 8.
template <class Sum>
PHRASEQ_INLINE Sums<Sum, 8> halved(const Lanes<Sum>& lanes) {
  return __builtin_shufflevector(lanes, lanes, 0, 1, 2, 3, 4, 5, 6, 7) +
         __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15);
}

/// Lane i of four: the sum of the lanes i, i + 4, …
template <class Sum>
PHRASEQ_INLINE Quad<Sum> folded(const Lanes<Sum>& lanes) {
  const auto half = halved<Sum>(lanes);
  return __builtin_shufflevector(half, half, 0, 1, 2, 3) +
         __builtin_shufflevector(half, half, 4, 5, 6, 7);
}

/// Adds the sums of four keys' lanes, [a, b, c, d], by shuffles that every instruction set has.
template <class Sum>
PHRASEQ_INLINE void add_sums(const Lanes<Sum>* keys, Sums<Sum, 4>& sums) {
  const Quad<Sum> a = folded<Sum>(keys[0]), b = folded<Sum>(keys[1]);
  const Quad<Sum> c = folded<Sum>(keys[2]), d = folded<Sum>(keys[3]);
  const Quad<Sum> ab =
      __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Quad<Sum> cd =
      __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
  sums += __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/// Of two keys' eight lanes each: a's sums of lanes that are four apart in the lower half, b's in
/// the upper one.
template <class Sum>
PHRASEQ_INLINE Sums<Sum, 8> quartered(const Sums<Sum, 8>& a, const Sums<Sum, 8>& b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

/// The same of eight keys: those of the lower and upper half of a vector are four apart.
template <class Sum>
PHRASEQ_INLINE void add_sums(const Lanes<Sum>* keys, Sums<Sum, 8>& sums) {
  Sums<Sum, 8> pairs[4];  // pairs[i]: keys i and i + 4
  for (int i = 0; i < 4; ++i)
    pairs[i] = quartered<Sum>(halved<Sum>(keys[i]), halved<Sum>(keys[i + 4]));
  const auto ab = __builtin_shufflevector(pairs[0], pairs[1], 0, 8, 1, 9, 4, 12, 5, 13) +
                  __builtin_shufflevector(pairs[0], pairs[1], 2, 10, 3, 11, 6, 14, 7, 15);
  const auto cd = __builtin_shufflevector(pairs[2], pairs[3], 0, 8, 1, 9, 4, 12, 5, 13) +
                  __builtin_shufflevector(pairs[2], pairs[3], 2, 10, 3, 11, 6, 14, 7, 15);
  sums += __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
          __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
}

/// Adds a's products with the keys to `sums`.
template <int count, class Element, class Sum>
PHRASEQ_INLINE void add_dots(const Element* a,
                             const Element* const* keys,
                             int64_t size,
                             Sums<Sum, count>& sums) {
  Lanes<Sum> lanes[count] = {};
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    Lanes<Sum> x, y;
    load_lanes(a + i, x);
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
      load_lanes(keys[k] + i, y);
      lanes[k] += x * y;
    }
  }
  add_sums<Sum>(lanes, sums);
  for (; i < size; ++i) {
    for (int k = 0; k < count; ++k) sums[k] += load(a[i]) * load(keys[k][i]);
  }
}

/// e^(score - highest) of kLanes scores in place, added to `total`.
template <class Sum>
PHRASEQ_INLINE void add_exponentials(Sum* scores, Sum highest, Sum* total) {
#pragma GCC ivdep
  for (int64_t i = 0; i < kLanes; ++i) {
    scores[i] = exponential(scores[i] - highest);
    total[i] += scores[i];
  }
}

/// The same for fewer scores: the others count as -infinity.
template <class Sum>
PHRASEQ_INLINE void add_exponentials(Sum* scores, int64_t count, Sum highest, Sum* total) {
  Sum padded[kLanes];
  for (int64_t i = 0; i < kLanes; ++i) padded[i] = -std::numeric_limits<Sum>::infinity();
  for (int64_t i = 0; i < count; ++i) padded[i] = scores[i];
  add_exponentials(padded, highest, total);
  for (int64_t i = 0; i < count; ++i) scores[i] = padded[i];
}

/// Softmax of `scores` in place.
template <class Sum>
PHRASEQ_INLINE void softmax(Sum* scores, int64_t size) {
  Sum highest = -std::numeric_limits<Sum>::infinity();
#pragma omp simd reduction(max : highest)
  for (int64_t i = 0; i < size; ++i) highest = scores[i] > highest ? scores[i] : highest;
  Sum totals[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) add_exponentials(scores + i, highest, totals);
  if (i < size)
    add_exponentials(scores + i, size - i, highest, totals);
  const Quad<Sum> four = folded<Sum>(*reinterpret_cast<const Lanes<Sum>*>(totals));
  const Sum inverse = 1 / ((four[0] + four[1]) + (four[2] + four[3]));
  for (i = 0; i < size; ++i) scores[i] *= inverse;
}

/// What scores against one kind of key are made of.
template <class Element>
struct ScoreSources {
  const Element* q;
  const VectorLayout &query, &key;
  int64_t heads, head_dim;
  double scale;
};

/// All heads' scores of `count` tokens, at most `most`, piece by piece; pieces before the first
/// token count as zero, and `count` is 1 where there are such. Head h's go to scores[h · step].
template <int most, class Element, class Sum>
PHRASEQ_INLINE void score(const ScoreSources<Element>& from,
                          const Element* const* kv,
                          int64_t token,
                          int64_t count,
                          Sum* scores,
                          int64_t step) {
  for (int64_t head = 0; head < from.heads; ++head) {
    const int64_t column = head * from.head_dim;
    Sums<Sum, most> sums = {};
    for (int64_t j = 0; j < from.key.parts; ++j) {
      const int64_t first = token - from.key.part_lag * (from.key.parts - 1 - j);
      if (first < 0)
        continue;
      const Element* keys[most];  // the last one again where there are fewer
      for (int k = 0; k < most; ++k)
        keys[k] =
            kv[first + smaller(k, count - 1)] + from.key.column + j * from.key.part_step + column;
      const Element* q = from.q + from.query.column + j * from.query.part_step + column;
      add_dots<most, Element, Sum>(q, keys, from.head_dim, sums);
    }
    sums *= static_cast<Sum>(from.scale);
    for (int64_t k = 0; k < count; ++k) scores[head * step + k] = sums[k];
  }
}

/// Scores against all keys of one kind, token after token so that a key's heads are read together.
template <class Element, class Sum>
PHRASEQ_INLINE void score_kind(const ScoreSources<Element>& from,
                               const Element* const* kv,
                               int64_t first,
                               int64_t tokens,
                               Sum* scores,
                               int64_t step) {
  const int64_t reach = smaller(from.key.part_lag * (from.key.parts - 1), tokens);
  for (int64_t token = first; token < tokens;) {
    const int64_t count = token < reach ? 1 : smaller(kMostKeys, tokens - token);
    if (count > 4)
      score<kMostKeys, Element, Sum>(from, kv, token, count, scores, step);
    else
      score<4, Element, Sum>(from, kv, token, count, scores, step);
    token += count;
    scores += count;
  }
}

/// out = Σ weight · value over all kinds, in registers, for the channels of `heads` heads, side by
/// side, or of a part of one head: `pieces` times kLanes each, from `channel` on.
template <int heads, int pieces, class Element, class Sum>
PHRASEQ_INLINE void mix_pieces(const Element* const* kv,
                               int64_t tokens,
                               const AttendShape& shape,
                               int64_t channel,
                               const Sum* weights,
                               int64_t keys,
                               Element* out) {
  Lanes<Sum> sums[heads * pieces] = {};
  for (int64_t k = 0; k < shape.kind_count; ++k) {
    for (int64_t token = shape.kinds[k].first; token < tokens; ++token, ++weights) {
      const Element* values = kv[token] + shape.kinds[k].value.column + channel;
#pragma GCC unroll 8
      for (int i = 0; i < heads * pieces; ++i) {
        Lanes<Sum> lanes;
        load_lanes(values + i * kLanes, lanes);
        sums[i] += weights[i / pieces * keys] * lanes;
      }
    }
  }
  for (int i = 0; i < heads * pieces; ++i) {
    for (int64_t lane = 0; lane < kLanes; ++lane)
      store(out + channel + i * kLanes + lane, sums[i][lane]);
  }
}

/// Heads of `pieces` times kLanes channels, `heads` at a time.
template <int heads, int pieces, class Element, class Sum>
PHRASEQ_INLINE void mix_heads(const Element* const* kv,
                              int64_t tokens,
                              const AttendShape& shape,
                              const Sum* weights,
                              int64_t keys,
                              Element* out) {
  constexpr int64_t kHeadDim = pieces * kLanes;
  int64_t head = 0;
  for (; head + heads <= shape.heads; head += heads)
    mix_pieces<heads, pieces>(kv, tokens, shape, head * kHeadDim, weights + head * keys, keys, out);
  for (; head < shape.heads; ++head)
    mix_pieces<1, pieces>(kv, tokens, shape, head * kHeadDim, weights + head * keys, keys, out);
}

/// The same for one channel.
template <class Element, class Sum>
PHRASEQ_INLINE void mix_channel(const Element* const* kv,
                                int64_t tokens,
                                const AttendShape& shape,
                                int64_t channel,
                                const Sum* weight,
                                Element* out) {
  Sum sum = 0;
  for (int64_t k = 0; k < shape.kind_count; ++k) {
    for (int64_t token = shape.kinds[k].first; token < tokens; ++token)
      sum += *weight++ * load(kv[token][shape.kinds[k].value.column + channel]);
  }
  store(out + channel, sum);
}

/// A head of any size: four pieces, one piece, one channel at a time.
template <class Element, class Sum>
PHRASEQ_INLINE void mix_head(const Element* const* kv,
                             int64_t tokens,
                             const AttendShape& shape,
                             int64_t head,
                             const Sum* weights,
                             int64_t keys,
                             Element* out) {
  int64_t channel = head * shape.head_dim;
  const int64_t end = channel + shape.head_dim;
  for (; channel + 4 * kLanes <= end; channel += 4 * kLanes)
    mix_pieces<1, 4>(kv, tokens, shape, channel, weights, keys, out);
  for (; channel + kLanes <= end; channel += kLanes)
    mix_pieces<1, 1>(kv, tokens, shape, channel, weights, keys, out);
  for (; channel < end; ++channel) mix_channel(kv, tokens, shape, channel, weights, out);
}

template <class Element, class Sum>
PHRASEQ_INLINE void mix_values(const Element* const* kv,
                               int64_t tokens,
                               const AttendShape& shape,
                               const Sum* weights,
                               int64_t keys,
                               Element* out) {
  switch (shape.head_dim) {
    case kLanes:
      return mix_heads<8, 1>(kv, tokens, shape, weights, keys, out);
    case 2 * kLanes:
      return mix_heads<4, 2>(kv, tokens, shape, weights, keys, out);
    case 4 * kLanes:
      return mix_heads<2, 4>(kv, tokens, shape, weights, keys, out);
  }
  for (int64_t head = 0; head < shape.heads; ++head)
    mix_head(kv, tokens, shape, head, weights + head * keys, keys, out);
}

template <class Element, class Sum>
void attend(const Element* q,
            const Element* const* kv,
            int64_t tokens,
            const AttendShape& shape,
            Sum* weights,
            Element* out) {
  const int64_t keys = shape.keys_of(tokens);
  Sum* next = weights;
  for (int64_t k = 0; k < shape.kind_count; ++k) {
    const KeyKind& kind = shape.kinds[k];
    const VectorLayout& query = shape.queries[shape.shared_query ? 0 : k];
    const ScoreSources<Element> from{q, query, kind.key, shape.heads, shape.head_dim, kind.scale};
    score_kind<Element, Sum>(from, kv, kind.first, tokens, next, keys);
    next += tokens > kind.first ? tokens - kind.first : 0;
  }
  for (int64_t head = 0; keys > 0 && head < shape.heads; ++head)
    softmax(weights + head * keys, keys);
  mix_values(kv, tokens, shape, weights, keys, out);
}

}  // namespace

template <typename T>
void add_attend_row_kernel(Kernels<T>& kernels) {
  kernels.attend_row = attend<T, Sum<T>>;
}
PHRASEQ_INSTANTIATE(add_attend_row_kernel);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
