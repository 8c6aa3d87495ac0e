#include <limits>

#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"
#include "core/nn/kernels/registers.h"

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// The number of lanes of a register, but at least four.
template <class Sum>
constexpr int kLanes = kLanesOfRegister<Sum> < 4 ? 4 : kLanesOfRegister<Sum>;
template <class Sum>
using Lanes = Vector<Sum, kLanes<Sum>>;

/// The number of keys that are scored at a time: eight if there are enough registers, otherwise
/// four.
template <class Sum>
constexpr int kMaxKeys = kLanes<Sum> < 8 ? 4 : 8;

PHRASEQ_INLINE void load_lanes(const float* from, Lanes<float>& to) {
  to = *reinterpret_cast<const Lanes<float>*>(from);
}
PHRASEQ_INLINE void load_lanes(const double* from, Lanes<double>& to) {
  to = *reinterpret_cast<const Lanes<double>*>(from);
}
PHRASEQ_INLINE void load_lanes(const Bfloat16* from, Lanes<float>& to) {
  constexpr int kCount = kLanes<float>;
  const auto bits = __builtin_convertvector(
      *reinterpret_cast<const Vector<uint16_t, kCount>*>(from), Vector<uint32_t, kCount>);
  to = reinterpret_cast<Lanes<float>>(bits << 16);
}

PHRASEQ_INLINE void store_lanes(float* to, const Lanes<float>& lanes) {
  *reinterpret_cast<Lanes<float>*>(to) = lanes;
}
PHRASEQ_INLINE void store_lanes(double* to, const Lanes<double>& lanes) {
  *reinterpret_cast<Lanes<double>*>(to) = lanes;
}
PHRASEQ_INLINE void store_lanes(Bfloat16* to, const Lanes<float>& lanes) {
  float sums[kLanes<float>];
  store_lanes(sums, lanes);
  for (int i = 0; i < kLanes<float>; ++i) store(to + i, sums[i]);
}

/// Sums `from` lanes to `to` lanes: lane i is the sum of the lanes i, i + to, …
template <int to, int from, class Sum>
PHRASEQ_INLINE Vector<Sum, to> folded(const Vector<Sum, from>& lanes) {
  if constexpr (from == to) {
    return lanes;
  } else if constexpr (from == 16) {
    const Vector<Sum, 8> half = __builtin_shufflevector(lanes, lanes, 0, 1, 2, 3, 4, 5, 6, 7) +
                                __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15);
    return folded<to, 8, Sum>(half);
  } else {
    return __builtin_shufflevector(lanes, lanes, 0, 1, 2, 3) +
           __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7);
  }
}

/// Adds the sums of four keys' lanes, [a, b, c, d], with shuffles that every instruction set
/// supports.
template <class Sum>
PHRASEQ_INLINE void add_sums(const Lanes<Sum>* keys, Vector<Sum, 4>& sums) {
  Vector<Sum, 4> of_key[4];
  for (int i = 0; i < 4; ++i) of_key[i] = folded<4, kLanes<Sum>, Sum>(keys[i]);
  const auto &a = of_key[0], &b = of_key[1], &c = of_key[2], &d = of_key[3];
  const Vector<Sum, 4> ab =
      __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Vector<Sum, 4> cd =
      __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
  sums += __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/// Adds the lanes that are four apart: the sums of a's eight lanes are in the lower half of the
/// result, those of b's in the upper half.
template <class Sum>
PHRASEQ_INLINE Vector<Sum, 8> quartered(const Vector<Sum, 8>& a, const Vector<Sum, 8>& b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

/// Adds the sums of eight keys' lanes to `sums`. The keys in the lower and upper half of each
/// vector below are four apart.
template <class Sum>
PHRASEQ_INLINE void add_sums(const Lanes<Sum>* keys, Vector<Sum, 8>& sums) {
  Vector<Sum, 8> pairs[4];  // pairs[i]: keys i and i + 4
  for (int i = 0; i < 4; ++i)
    pairs[i] = quartered<Sum>(folded<8, kLanes<Sum>, Sum>(keys[i]),
                              folded<8, kLanes<Sum>, Sum>(keys[i + 4]));
  const auto ab = __builtin_shufflevector(pairs[0], pairs[1], 0, 8, 1, 9, 4, 12, 5, 13) +
                  __builtin_shufflevector(pairs[0], pairs[1], 2, 10, 3, 11, 6, 14, 7, 15);
  const auto cd = __builtin_shufflevector(pairs[2], pairs[3], 0, 8, 1, 9, 4, 12, 5, 13) +
                  __builtin_shufflevector(pairs[2], pairs[3], 2, 10, 3, 11, 6, 14, 7, 15);
  sums += __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
          __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
}

/// Adds a's products with the keys to `sums`: for `size` channels from `channel` on.
template <int count, class Element, class Sum>
PHRASEQ_INLINE void add_dots(const Element* a,
                             const Element* const* keys,
                             int64_t channel,
                             int64_t size,
                             Vector<Sum, count>& sums) {
  Lanes<Sum> lanes[count] = {};
  const int64_t end = channel + size;
  int64_t i = channel;
  for (; i + kLanes<Sum> <= end; i += kLanes<Sum>) {
    Lanes<Sum> x, y;
    load_lanes(a + i, x);
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
      load_lanes(keys[k] + i, y);
      lanes[k] += x * y;
    }
  }
  add_sums<Sum>(lanes, sums);
  for (; i < end; ++i) {
    for (int k = 0; k < count; ++k) sums[k] += load(a[i]) * load(keys[k][i]);
  }
}

/// Turns a vector of scores into e^(score - highest), and adds these to `total`.
template <class Sum>
PHRASEQ_INLINE void add_exponentials(Sum* scores, Sum highest, Sum* total) {
#pragma GCC ivdep
  for (int64_t i = 0; i < kLanes<Sum>; ++i) {
    scores[i] = exponential(scores[i] - highest);
    total[i] += scores[i];
  }
}

/// The same for fewer scores; the missing ones count as -infinity.
template <class Sum>
PHRASEQ_INLINE void add_exponentials(Sum* scores, int64_t count, Sum highest, Sum* total) {
  Sum padded[kLanes<Sum>];
  for (Sum& score : padded) score = -std::numeric_limits<Sum>::infinity();
  for (int64_t i = 0; i < count; ++i) padded[i] = scores[i];
  add_exponentials(padded, highest, total);
  for (int64_t i = 0; i < count; ++i) scores[i] = padded[i];
}

/// Turns scores [size] into their softmax.
template <class Sum>
PHRASEQ_INLINE void softmax(Sum* scores, int64_t size) {
  Sum highest = -std::numeric_limits<Sum>::infinity();
#pragma omp simd reduction(max : highest)
  for (int64_t i = 0; i < size; ++i) highest = scores[i] > highest ? scores[i] : highest;
  Sum totals[kLanes<Sum>] = {};
  int64_t i = 0;
  for (; i + kLanes<Sum> <= size; i += kLanes<Sum>) add_exponentials(scores + i, highest, totals);
  if (i < size)
    add_exponentials(scores + i, size - i, highest, totals);
  const auto four = folded<4, kLanes<Sum>, Sum>(*reinterpret_cast<const Lanes<Sum>*>(totals));
  const Sum inverse = 1 / ((four[0] + four[1]) + (four[2] + four[3]));
  for (i = 0; i < size; ++i) scores[i] *= inverse;
}

/// The inputs of the scores against one kind of key.
template <class Element>
struct ScoreSources {
  const Element* q;
  const VectorLayout &query, &key;
  int64_t heads, head_dim;
  double scale;
};

/// Stores the scores of a head's `count` keys, at most `most`, at `place`.
template <int most, class Sum>
PHRASEQ_INLINE void store_scores(const Vector<Sum, most>& scores, int64_t count, Sum* place) {
  if (count == most) {
    *reinterpret_cast<Vector<Sum, most>*>(place) = scores;
    return;
  }
  for (int64_t k = 0; k < count; ++k) place[k] = scores[k];
}

/// Computes all heads' scores of `count` tokens, at most `most`, from one piece of their keys. The
/// scores of head h are at scores[h · step]. If `begun`, earlier pieces have already stored sums
/// there; the last piece scales them.
template <int most, class Element, class Sum>
PHRASEQ_INLINE void score_piece(const ScoreSources<Element>& from,
                                const Element* const* rows,
                                int64_t piece,
                                int64_t count,
                                bool begun,
                                Sum* scores,
                                int64_t step) {
  const Element* keys[most];  // if there are fewer, the last one is repeated
  for (int k = 0; k < most; ++k)
    keys[k] = rows[smaller(k, count - 1)] + from.key.column + piece * from.key.part_step;
  const Element* q = from.q + from.query.column + piece * from.query.part_step;
  const Sum factor = piece + 1 < from.key.parts ? Sum{1} : static_cast<Sum>(from.scale);
  for (int64_t head = 0; head < from.heads; ++head) {
    Sum* place = scores + head * step;
    Vector<Sum, most> sums = {};
    for (int64_t k = 0; begun && k < count; ++k) sums[k] = place[k];
    add_dots<most, Element, Sum>(q, keys, head * from.head_dim, from.head_dim, sums);
    store_scores<most, Sum>(sums * factor, count, place);
  }
}

/// The same from all pieces. Pieces before the first token count as zero; `count` is 1 if there are
/// any.
template <int most, class Element, class Sum>
PHRASEQ_INLINE void score(const ScoreSources<Element>& from,
                          const Element* const* kv,
                          int64_t token,
                          int64_t count,
                          Sum* scores,
                          int64_t step) {
  bool begun = false;
  for (int64_t piece = 0; piece < from.key.parts; ++piece) {
    const int64_t first = token - from.key.part_lag * (from.key.parts - 1 - piece);
    if (first < 0)
      continue;
    score_piece<most, Element, Sum>(from, kv + first, piece, count, begun, scores, step);
    begun = true;
  }
}

/// Computes the scores against all keys of one kind, token after token, so that all heads of a key
/// are read together.
template <class Element, class Sum>
PHRASEQ_INLINE void score_kind(const ScoreSources<Element>& from,
                               const Element* const* kv,
                               int64_t first,
                               int64_t tokens,
                               Sum* scores,
                               int64_t step) {
  const int64_t reach = smaller(from.key.part_lag * (from.key.parts - 1), tokens);
  for (int64_t token = first; token < tokens;) {
    const int64_t count = token < reach ? 1 : smaller(kMaxKeys<Sum>, tokens - token);
    if (count > 4)
      score<kMaxKeys<Sum>, Element, Sum>(from, kv, token, count, scores, step);
    else
      score<4, Element, Sum>(from, kv, token, count, scores, step);
    token += count;
    scores += count;
  }
}

/// out = Σ weight · value over all kinds, in registers, for the channels of `heads` adjacent heads
/// or of a part of one head: `pieces` vectors each, from `channel` on.
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
        load_lanes(values + i * kLanes<Sum>, lanes);
        sums[i] += weights[i / pieces * keys] * lanes;
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < heads * pieces; ++i) store_lanes(out + channel + i * kLanes<Sum>, sums[i]);
}

/// Mixes the values of all heads, each of `pieces` vectors; as many heads at a time as have eight
/// vectors in all.
template <int pieces, class Element, class Sum>
PHRASEQ_INLINE void mix_heads(const Element* const* kv,
                              int64_t tokens,
                              const AttendShape& shape,
                              const Sum* weights,
                              int64_t keys,
                              Element* out) {
  constexpr int kHeads = 8 / pieces;
  int64_t head = 0;
  for (; head + kHeads <= shape.heads; head += kHeads)
    mix_pieces<kHeads, pieces>(
        kv, tokens, shape, head * shape.head_dim, weights + head * keys, keys, out);
  for (; head < shape.heads; ++head)
    mix_pieces<1, pieces>(
        kv, tokens, shape, head * shape.head_dim, weights + head * keys, keys, out);
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

/// Mixes the values of a head of any size: in steps of four vectors, then one vector, then one
/// channel.
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
  constexpr int64_t kOne = kLanes<Sum>, kFour = 4 * kOne;
  for (; channel + kFour <= end; channel += kFour)
    mix_pieces<1, 4>(kv, tokens, shape, channel, weights, keys, out);
  for (; channel + kOne <= end; channel += kOne)
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
    case kLanes<Sum>:
      return mix_heads<1>(kv, tokens, shape, weights, keys, out);
    case 2 * kLanes<Sum>:
      return mix_heads<2>(kv, tokens, shape, weights, keys, out);
    case 4 * kLanes<Sum>:
      return mix_heads<4>(kv, tokens, shape, weights, keys, out);
    case 8 * kLanes<Sum>:
      return mix_heads<8>(kv, tokens, shape, weights, keys, out);
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
