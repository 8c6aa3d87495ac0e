#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/functional/grouped_attention.h"

/// Attention in which every head has one kind of query and one kind of key, in adjacent columns.
/// The kernels for packed sentences compute only this.
namespace phraseq::nn {

/// Whether a layout is of that kind, with columns that begin at multiples of 8.
PHRASEQ_API bool is_plain(const AttentionLayout& layout);

/// The columns and numbers of a plain layout.
struct PHRASEQ_API PlainColumns {
  int64_t query = 0, key = 0, value = 0;  ///< the first column of each
  int64_t heads = 1, head_dim = 1;
  double scale = 1.0;

  PlainColumns() = default;
  /// Requires is_plain(layout).
  explicit PlainColumns(const AttentionLayout& layout);

  int64_t width() const { return heads * head_dim; }
  /// x [tokens, columns] → [tokens, heads · head_dim], a view.
  at::Tensor of(const at::Tensor& x, int64_t column) const { return x.narrow(1, column, width()); }
};

/// The length of the shortest of the packed sentences; 0 if there are none.
PHRASEQ_API int64_t shortest(const std::vector<int64_t>& offsets);

}  // namespace phraseq::nn
