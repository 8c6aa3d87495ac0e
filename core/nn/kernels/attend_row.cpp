#include <limits>

#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// Sixteen numbers at once, lowered to whatever registers the instruction set has.
constexpr int64_t kLanes = 16;
template <class Sum>
struct LanesOf {
  typedef Sum type
      __attribute__((vector_size(kLanes * sizeof(Sum)), aligned(sizeof(Sum)), may_alias));
};
template <class Sum>
using Lanes = typename LanesOf<Sum>::type;

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

template <class Sum>
PHRASEQ_INLINE Sum sum_of(const Lanes<Sum>& lanes) {
  Sum sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < kLanes; ++i) sum += lanes[i];
  return sum;
}

/// Adds a's products with `count` keys to `sums`.
template <int count, class Element, class Sum>
PHRASEQ_INLINE void add_dots(const Element* a,
                             const Element* const* keys,
                             int64_t size,
                             Sum* sums) {
  Lanes<Sum> lanes[count] = {};
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    Lanes<Sum> x, y;
    load_lanes(a + i, x);
#pragma GCC unroll 4
    for (int k = 0; k < count; ++k) {
      load_lanes(keys[k] + i, y);
      lanes[k] += x * y;
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < count; ++k) {
    sums[k] += sum_of<Sum>(lanes[k]);
    for (int64_t rest = i; rest < size; ++rest) sums[k] += load(a[rest]) * load(keys[k][rest]);
  }
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

/// What scores against one kind of key are made of.
template <class Element>
struct ScoreSources {
  const Element* q;
  const VectorLayout &query, &key;
  int64_t heads, head_dim;
  double scale;
};

/// All heads' scores of the tokens `token` and following, piece by piece; pieces before the first
/// token count as zero. Head h's go to scores[h · step].
template <int count, class Element, class Sum>
PHRASEQ_INLINE void score(const ScoreSources<Element>& from,
                          const Element* const* kv,
                          int64_t token,
                          Sum* scores,
                          int64_t step) {
  for (int64_t head = 0; head < from.heads; ++head) {
    const int64_t column = head * from.head_dim;
    Sum sums[count] = {};
    for (int64_t j = 0; j < from.key.parts; ++j) {
      const int64_t first = token - from.key.part_lag * (from.key.parts - 1 - j);
      if (first < 0)  // only ever one token at a time
        continue;
      const Element* keys[count];
      for (int k = 0; k < count; ++k)
        keys[k] = kv[first + k] + from.key.column + j * from.key.part_step + column;
      const Element* q = from.q + from.query.column + j * from.query.part_step + column;
      add_dots<count, Element, Sum>(q, keys, from.head_dim, sums);
    }
    for (int k = 0; k < count; ++k)
      scores[head * step + k] = static_cast<Sum>(from.scale) * sums[k];
  }
}

PHRASEQ_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Scores against all keys of one kind, token after token so that a key's heads are read together.
template <class Element, class Sum>
PHRASEQ_INLINE void score_kind(const ScoreSources<Element>& from,
                               const Element* const* kv,
                               int64_t first,
                               int64_t tokens,
                               Sum* scores,
                               int64_t step) {
  const int64_t reach = smaller(from.key.part_lag * (from.key.parts - 1), tokens);
  int64_t token = first;
  for (; token < reach; ++token)
    score<1, Element, Sum>(from, kv, token, scores + token - first, step);
  for (; token + 4 <= tokens; token += 4)
    score<4, Element, Sum>(from, kv, token, scores + token - first, step);
  for (; token < tokens; ++token)
    score<1, Element, Sum>(from, kv, token, scores + token - first, step);
}

/// out = Σ weight · value over all kinds for pieces `first` and following, in registers. Pieces are
/// a head's channels in kLanes, head after head, so that a token's heads are read together.
template <int pieces, class Element, class Sum>
PHRASEQ_INLINE void mix_pieces(const Element* const* kv,
                               int64_t tokens,
                               const AttendShape& shape,
                               int64_t first,
                               const Sum* weights,
                               int64_t keys,
                               Element* out) {
  const int64_t pieces_a_head = shape.head_dim / kLanes;
  int64_t channel[pieces];
  const Sum* weight[pieces];
  for (int i = 0; i < pieces; ++i) {
    const int64_t head = (first + i) / pieces_a_head;
    channel[i] = head * shape.head_dim + (first + i) % pieces_a_head * kLanes;
    weight[i] = weights + head * keys;
  }
  Lanes<Sum> sums[pieces] = {};
  int64_t place = 0;
  for (int64_t k = 0; k < shape.kind_count; ++k) {
    for (int64_t token = shape.kinds[k].first; token < tokens; ++token, ++place) {
      const Element* values = kv[token] + shape.kinds[k].value.column;
#pragma GCC unroll 8
      for (int i = 0; i < pieces; ++i) {
        Lanes<Sum> lanes;
        load_lanes(values + channel[i], lanes);
        sums[i] += weight[i][place] * lanes;
      }
    }
  }
  for (int i = 0; i < pieces; ++i) {
    for (int64_t lane = 0; lane < kLanes; ++lane) store(out + channel[i] + lane, sums[i][lane]);
  }
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

template <class Element, class Sum>
PHRASEQ_INLINE void mix_values(const Element* const* kv,
                               int64_t tokens,
                               const AttendShape& shape,
                               const Sum* weights,
                               int64_t keys,
                               Element* out) {
  const int64_t pieces = shape.heads * (shape.head_dim / kLanes);
  int64_t i = 0;
  for (; i + 8 <= pieces; i += 8) mix_pieces<8>(kv, tokens, shape, i, weights, keys, out);
  for (; i + 2 <= pieces; i += 2) mix_pieces<2>(kv, tokens, shape, i, weights, keys, out);
  for (; i < pieces; ++i) mix_pieces<1>(kv, tokens, shape, i, weights, keys, out);
  for (int64_t head = 0; head < shape.heads; ++head) {
    for (int64_t d = shape.head_dim / kLanes * kLanes; d < shape.head_dim; ++d) {
      mix_channel(kv, tokens, shape, head * shape.head_dim + d, weights + head * keys, out);
    }
  }
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
