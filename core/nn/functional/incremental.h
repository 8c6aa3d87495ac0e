#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/functional/grouped_attention.h"

namespace phraseq::nn {

/// The locations of each decoding row's past. `select` permutes and prunes only this table (rows ×
/// steps numbers), so reordering the beam copies no keys. It is shared by a session's layers.
class PHRASEQ_API Ancestry {
 public:
  explicit Ancestry(int64_t rows);
  int64_t rows() const { return rows_; }
  int64_t steps() const { return steps_; }
  /// Opens the next step: every row's newest ancestor is itself.
  void advance();
  void select(const std::vector<int64_t>& rows);
  /// For each step, the row that row `row`'s token of that step had when it was written.
  const int32_t* of(int64_t row) const;
  /// The same for all rows on a device, [rows, steps or more] int32; copied once until the next
  /// change.
  at::Tensor on(at::Device device) const;

 private:
  int64_t rows_;
  int64_t steps_ = 0;
  int64_t capacity_ = 0;
  std::vector<int32_t> table_;      // [rows, capacity]
  mutable at::Tensor device_copy_;  // undefined after a change
};

/// Keys and values of the tokens decoded so far, for one attention module. They are never moved.
///
/// They are stored in blocks of steps, `[step, row, 2 · model]` (K then V), which are allocated
/// when decoding reaches them. A row's past is found through an Ancestry.
class PHRASEQ_API SelfAttentionCache {
 public:
  /// Makes room for the keys and values of the next step, [rows, columns], which must be filled in
  /// before `attend`.
  at::Tensor open_step(int64_t rows, int64_t columns, const at::TensorOptions& options);
  /// Stores the keys and values of the next step, [rows, columns], before `attend`.
  void append(const at::Tensor& kv);
  /// Attends with q [rows, …] to the keys and values of all steps as `layout` reads them (no
  /// windows; the result of a kind of query with `first` > 0 is zero): [rows, out columns].
  /// `ancestry` must be advanced once per step; otherwise throws std::logic_error.
  at::Tensor attend(const at::Tensor& q,
                    const Ancestry& ancestry,
                    const AttentionLayout& layout) const;
  /// Stores the keys and values of the next step and attends with its queries, as plain attention
  /// does: kvq [rows, 3 · model] (columns K, V, Q) → [rows, model].
  at::Tensor append_and_attend(const at::Tensor& kvq,
                               const Ancestry& ancestry,
                               int64_t heads,
                               double scale);

 private:
  /// Whether the last block has room for another step with this number of rows.
  bool has_room(int64_t rows) const;
  void check_steps(const Ancestry& ancestry) const;
  at::Tensor attend_cpu(const at::Tensor& q,
                        const Ancestry& ancestry,
                        const AttentionLayout& layout) const;

  std::vector<at::Tensor> blocks_;  // [steps of a block, rows at that time, columns]
  int64_t used_ = 0;                // steps used in the last block
  std::vector<at::Tensor> steps_;   // views, one per step
};

/// Attention of decoding rows over source-side keys and values, which are stored once per sentence.
///
/// q [rows, model]; kv [source tokens, 2 · model] packed with `offsets`; `sentence_of_row[r]` is
/// the sentence of row r. `weights`, if given, receives [rows, max source length], averaged over
/// heads.
PHRASEQ_API at::Tensor decode_cross_attention(const at::Tensor& q,
                                              const at::Tensor& kv,
                                              const std::vector<int64_t>& offsets,
                                              const std::vector<int64_t>& sentence_of_row,
                                              int64_t heads,
                                              double scale,
                                              at::Tensor* weights = nullptr);
/// The same for other layouts, by which q and kv are read (see SelfAttentionCache::attend): [rows,
/// out columns]; `weights` as for grouped_attention.
PHRASEQ_API at::Tensor decode_cross_attention(const at::Tensor& q,
                                              const at::Tensor& kv,
                                              const std::vector<int64_t>& offsets,
                                              const std::vector<int64_t>& sentence_of_row,
                                              const AttentionLayout& layout,
                                              at::Tensor* weights = nullptr);

}  // namespace phraseq::nn
