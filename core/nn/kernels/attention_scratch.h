#pragma once

#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/small_product.h"
#include "core/nn/kernels/vectors.h"

/// The scratch memory that the attention of one head in one sentence works in. Included only by
/// attention.cpp.
namespace phraseq::nn::kernels {
namespace {

constexpr int64_t kQueryBlock = 64;  // queries whose scores are in scratch memory at a time

PHRASEQ_INLINE int64_t rounded_up(int64_t n) {
  return (n + kColumnUnit - 1) / kColumnUnit * kColumnUnit;
}

/// The keys and values of one kind, and their gradients, without keys that do not exist: as rows,
/// and transposed ("across") for the products. Columns are padded with zeros to a multiple of
/// kColumnUnit.
template <typename S>
struct KeyScratch {
  int64_t first, count;       ///< tokens whose keys exist
  int64_t depth, width;       ///< size of a key; the same, rounded up
  int64_t length, start;      ///< number of keys, rounded up; the first column of their scores
  S *keys, *keys_across;      ///< [count, width], [depth, length], times the scale
  S *values, *values_across;  ///< [count, value width], [head_dim, length]
  S *d_keys, *d_values;       ///< shaped like keys and values
  S* queries;                 ///< [block, width]; the same for all kinds if they are shared
};

/// Divides the scratch memory into its parts. Without memory (null), only their size is computed.
template <typename S>
struct Scratch {
  KeyScratch<S> kinds[kMaxKeyKinds];
  int64_t value_width;
  int64_t length = 0;      ///< length of a row of scores of all kinds
  S *weights, *d_weights;  ///< [block, length]
  S *d_out, *out;          ///< [block, value width]
  S* d_queries;            ///< [block, widest key]
  int64_t size = 0;

  template <typename T>
  Scratch(const AttentionTask<T>& task, S* memory) : value_width(rounded_up(task.head_dim)) {
    const int64_t block = smaller(task.query_count, kQueryBlock);
    const bool shared = task.queries[0].shared;
    int64_t widest = 0;
    const auto take = [&](int64_t count) {
      S* part = memory ? memory + size : nullptr;
      size += count;
      return part;
    };
    for (int64_t k = 0; k < task.key_kinds; ++k) {
      const KeyKind& kind = task.keys[k];
      KeyScratch<S>& part = kinds[k];
      part.first = smaller(kind.first, task.key_count);
      part.count = task.key_count - part.first;
      part.depth = kind.key.parts * task.head_dim;
      part.width = rounded_up(part.depth);
      part.length = rounded_up(part.count);
      part.start = length;
      length += part.length;
      widest = part.width > widest ? part.width : widest;
      part.keys = take(part.count * part.width);
      part.d_keys = take(part.count * part.width);
      part.values = take(part.count * value_width);
      part.d_values = take(part.count * value_width);
      part.keys_across = take(part.depth * part.length);
      part.values_across = take(task.head_dim * part.length);
      part.queries = shared && k > 0 ? kinds[0].queries : take(block * part.width);
    }
    weights = take(block * length);
    d_weights = take(block * length);
    d_out = take(block * value_width);
    out = take(block * value_width);
    d_queries = take(block * widest);
  }
};

template <typename T>
int64_t scratch_size(const AttentionTask<T>& task) {
  return Scratch<Sum<T>>(task, nullptr).size;
}

/// Transposes a block of four rows, of which `present` exist, and writes `depth` of its columns, at
/// most four. Each round rotates the four bits of a row's and a column's number by one.
template <typename S>
PHRASEQ_INLINE void turn_block(
    const S* rows, int64_t width, int64_t present, int64_t depth, S* across, int64_t length) {
  using Four = Vector<S, 4>;
  Four v[4];
  for (int i = 0; i < 4; ++i)
    v[i] = i < present ? *reinterpret_cast<const Four*>(rows + i * width) : Four{};
  for (int round = 0; round < 2; ++round) {
    const Four next[] = {__builtin_shufflevector(v[0], v[2], 0, 4, 1, 5),
                         __builtin_shufflevector(v[0], v[2], 2, 6, 3, 7),
                         __builtin_shufflevector(v[1], v[3], 0, 4, 1, 5),
                         __builtin_shufflevector(v[1], v[3], 2, 6, 3, 7)};
    for (int i = 0; i < 4; ++i) v[i] = next[i];
  }
  for (int64_t d = 0; d < depth; ++d) *reinterpret_cast<Four*>(across + d * length) = v[d];
}

/// Transposes rows [count, width] into across [depth, length], with zeros after `count`; width and
/// length are multiples of kColumnUnit.
template <typename S>
PHRASEQ_INLINE void turn(
    const S* rows, int64_t width, int64_t count, int64_t depth, S* across, int64_t length) {
  for (int64_t i = 0; i < length; i += 4) {
    for (int64_t d = 0; d < depth; d += 4) {
      turn_block(rows + i * width + d,
                 width,
                 count - i,
                 smaller(4, depth - d),
                 across + d * length + i,
                 length);
    }
  }
}

template <typename S>
PHRASEQ_INLINE void fill_zero(S* place, int64_t count) {
  for (int64_t i = 0; i < count; ++i) place[i] = 0;
}

/// Returns the address, in the sentence's first row, of a layout's columns for the task's head.
template <typename T, typename E>
PHRASEQ_INLINE E* columns_of(const AttentionTask<T>& task,
                             const VectorLayout& layout,
                             E* rows,
                             int64_t first,
                             int64_t stride) {
  return rows + first * stride + layout.column + task.head * task.head_dim;
}

/// Reads all keys, multiplied by the scale of their kind, and all values into the scratch memory.
template <typename T>
PHRASEQ_INLINE void read_keys(const AttentionTask<T>& task, const Scratch<Sum<T>>& scratch) {
  for (int64_t k = 0; k < task.key_kinds; ++k) {
    const KeyKind& kind = task.keys[k];
    const KeyScratch<Sum<T>>& part = scratch.kinds[k];
    const auto read = [&](const VectorLayout& layout, double factor, Sum<T>* to, int64_t width) {
      read_vectors(layout,
                   columns_of(task, layout, task.kv, task.first_key, task.kv_stride),
                   task.kv_stride,
                   part.first,
                   part.count,
                   task.head_dim,
                   static_cast<Sum<T>>(factor),
                   to,
                   width);
    };
    read(kind.key, kind.scale, part.keys, part.width);
    read(kind.value, 1.0, part.values, scratch.value_width);
    turn(part.keys, part.width, part.count, part.depth, part.keys_across, part.length);
  }
}

}  // namespace
}  // namespace phraseq::nn::kernels
