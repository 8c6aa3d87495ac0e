#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/data/batch.h"
#include "core/nn/functional/grouped_attention.h"
#include "core/nn/functional/incremental.h"
#include "core/nn/kernels/vector_layout.h"

/// Attention one token at a time: windows are summed once, when their last token comes.
namespace phraseq::phrasal {

/// What a row of products becomes when the sums over its windows are computed: adjacent columns
/// without windows.
struct SummedColumns {
  struct Piece {
    int64_t column, width;
    int64_t window, window_step;

    /// The first column of what a token gives to the window that ends `lag` tokens after it.
    int64_t tap(int64_t lag) const { return column + (window - 1 - lag) * window_step; }
  };
  std::vector<Piece> pieces;
  int64_t columns = 0;
  int64_t longest_window = 1;

  /// Adds the layout's columns for this many channels of a head group; returns where they are now.
  nn::VectorLayout add(const nn::VectorLayout& layout, int64_t width);
};

/// A module's layout for products whose windows are summed: queries in one matrix, keys and values
/// in another. Queries without windows stay where they are, in the products.
struct SummedLayout {
  explicit SummedLayout(const nn::AttentionLayout& layout);

  SummedColumns queries, keys_values;
  nn::AttentionLayout layout;
  int64_t longest_window() const {
    return std::max(queries.longest_window, keys_values.longest_window);
  }
  /// The layout for one step: the phrase that ends at a sentence's first token has no query.
  const nn::AttentionLayout& at(bool first_step) const { return first_step ? layout : later_; }

 private:
  nn::AttentionLayout later_;
};

/// The products of tokens that are this many positions before those of a matrix's rows.
struct EarlierProducts {
  at::Tensor products;        ///< [rows then, columns]
  std::vector<int64_t> rows;  ///< the row of `products`; -1 = there is no such token
};

/// Sums over windows, products [rows, columns] → sums [rows, summed columns]. earlier[k]: the
/// tokens k + 1 before, as many as there are; what is missing counts as zero.
void sum_windows(const at::Tensor& products,
                 const std::vector<EarlierProducts>& earlier,
                 const SummedColumns& columns,
                 const at::Tensor& sums);
/// The same for all tokens of packed sentences, [tokens, columns] → [tokens, summed columns].
at::Tensor sum_windows(const at::Tensor& products,
                       const PackedTokens& tokens,
                       const SummedColumns& columns);

/// The queries of a step, as `layout` reads them.
at::Tensor queries_of(const at::Tensor& products,
                      const std::vector<EarlierProducts>& earlier,
                      const SummedLayout& layout);

/// The products of the newest steps, found by a row's ancestors.
class RecentProducts {
 public:
  /// Those of up to `count` steps before the one that was just opened.
  std::vector<EarlierProducts> earlier(const nn::Ancestry& ancestry, int64_t count) const;
  void append(const at::Tensor& products, int64_t keep);

 private:
  std::deque<at::Tensor> newest_first_;
};

}  // namespace phraseq::phrasal
