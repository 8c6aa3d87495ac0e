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

/// Attention one token at a time: each window is summed once, when its last token has been read.
namespace phraseq::phrasal {

/// The layout of a row of products after its windows have been summed: adjacent columns without
/// windows.
struct SummedColumns {
  struct Piece {
    int64_t column, width;
    int64_t window, window_step;

    /// The first column of a token's contribution to the window that ends `lag` tokens after it.
    int64_t tap(int64_t lag) const { return column + (window - 1 - lag) * window_step; }
  };
  std::vector<Piece> pieces;
  int64_t columns = 0;
  int64_t longest_window = 1;

  /// Adds the layout's columns for this many channels of a head group; returns their new layout.
  nn::VectorLayout add(const nn::VectorLayout& layout, int64_t width);
};

/// A module's layout for products whose windows are summed: queries in one matrix, keys and values
/// in another. Queries without windows are read from the products.
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

/// The products of the tokens a given number of positions before the tokens of a matrix's rows.
struct EarlierProducts {
  at::Tensor products;        ///< [rows then, columns]
  std::vector<int64_t> rows;  ///< the row of `products`; -1 = there is no such token
};

/// Sums over windows, products [rows, columns] → sums [rows, summed columns]. earlier[k] are the
/// tokens k + 1 positions before; missing tokens count as zero.
void sum_windows(const at::Tensor& products,
                 const std::vector<EarlierProducts>& earlier,
                 const SummedColumns& columns,
                 const at::Tensor& sums);
/// The same for all tokens of packed sentences, [tokens, columns] → [tokens, summed columns].
at::Tensor sum_windows(const at::Tensor& products,
                       const PackedTokens& tokens,
                       const SummedColumns& columns);

/// The queries of a step, in the form that `layout` reads.
at::Tensor queries_of(const at::Tensor& products,
                      const std::vector<EarlierProducts>& earlier,
                      const SummedLayout& layout);

/// The products of the newest steps, found through a row's ancestors.
class RecentProducts {
 public:
  /// The products of up to `count` steps before the step that was just opened.
  std::vector<EarlierProducts> earlier(const nn::Ancestry& ancestry, int64_t count) const;
  void append(const at::Tensor& products, int64_t keep);

 private:
  std::deque<at::Tensor> newest_first_;
};

}  // namespace phraseq::phrasal
