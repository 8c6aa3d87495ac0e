#include "plugins/architectures/phrasal_attention/decoding.h"

#include <algorithm>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include "core/data/device/to_device.h"
#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/kernels/always_inline.h"

namespace phraseq::phrasal {
namespace {

/// For each row of packed sentences, the row of the token `lag` positions before; -1 if there is
/// none.
std::vector<int64_t> rows_before(const PackedTokens& tokens, int64_t lag) {
  std::vector<int64_t> rows(static_cast<size_t>(tokens.tokens()), -1);
  for (int64_t s = 0; s < tokens.sentences(); ++s) {
    const auto sentence = static_cast<size_t>(s);
    for (int64_t row = tokens.offsets[sentence] + lag; row < tokens.offsets[sentence + 1]; ++row)
      rows[static_cast<size_t>(row)] = row - lag;
  }
  return rows;
}

/// Finds a row's products in earlier steps; null if there is no such token.
template <typename T>
void find_row(const std::vector<EarlierProducts>& earlier,
              int64_t row,
              std::vector<const T*>& found) {
  for (size_t k = 0; k < earlier.size(); ++k) {
    const int64_t place = earlier[k].rows[static_cast<size_t>(row)];
    const at::Tensor& from = earlier[k].products;
    found[k] = place < 0 ? nullptr : nn::cpu::data<T>(from) + place * from.size(1);
  }
}

int64_t lags(const SummedColumns::Piece& piece, size_t earlier) {
  return std::min(piece.window, static_cast<int64_t>(earlier) + 1);
}

/// Prefetches the products of earlier steps, which are no longer in the processor's caches when
/// they are summed. Must be inline: GCC removes calls of functions that only prefetch.
template <typename T>
PHRASEQ_INLINE void prefetch(const std::vector<const T*>& earlier, const SummedColumns& columns) {
  constexpr int64_t kLine = 64 / sizeof(T);
  for (const auto& piece : columns.pieces) {
    for (int64_t lag = 1; lag < lags(piece, earlier.size()); ++lag) {
      const T* row = earlier[static_cast<size_t>(lag - 1)];
      for (int64_t i = 0; row && i < piece.width; i += kLine)
        __builtin_prefetch(row + piece.tap(lag) + i);
    }
  }
}

/// Sums one row's products over the windows of a piece.
template <typename T>
void sum_piece(const T* products,
               const std::vector<const T*>& earlier,
               const SummedColumns::Piece& piece,
               T* sum) {
  const T* so_far = products + piece.tap(0);
  for (int64_t lag = 1; lag < lags(piece, earlier.size()); ++lag) {
    if (const T* row = earlier[static_cast<size_t>(lag - 1)]) {
      nn::cpu::loops<T>().dropout_add(row + piece.tap(lag), so_far, sum, {0, 1, piece.width}, {});
      so_far = sum;
    }
  }
  if (so_far != sum)
    std::copy_n(so_far, piece.width, sum);
}

template <typename T>
void sum_rows(const at::Tensor& products,
              const std::vector<EarlierProducts>& earlier,
              const SummedColumns& columns,
              int64_t first,
              int64_t last,
              T* sum) {
  std::vector<const T*> row_before(earlier.size()), next_before(earlier.size());
  find_row(earlier, first, next_before);
  for (int64_t row = first; row < last; ++row) {
    row_before.swap(next_before);
    if (row + 1 < last) {
      find_row(earlier, row + 1, next_before);
      prefetch(next_before, columns);
    }
    for (const auto& piece : columns.pieces) {
      sum_piece(nn::cpu::data<T>(products) + row * products.size(1), row_before, piece, sum);
      sum += piece.width;
    }
  }
}

void sum_windows_cpu(const at::Tensor& products,
                     const std::vector<EarlierProducts>& earlier,
                     const SummedColumns& columns,
                     const at::Tensor& sums) {
  nn::cpu::for_type(products.scalar_type(), [&]<typename T>(T*) {
    nn::cpu::over_rows(sums, [&](int64_t first, int64_t last) {
      T* sum = nn::cpu::mutable_data<T>(sums) + first * columns.columns;
      sum_rows(products, earlier, columns, first, last, sum);
    });
  });
}

/// Copies the products of earlier rows, [rows, columns], zero where there is none.
at::Tensor gathered(const EarlierProducts& earlier) {
  const at::Tensor rows = to_device(earlier.rows, earlier.products.device());
  return earlier.products
      .index_select(0, rows.clamp_min(0))  // [rows, columns]
      .mul(rows.ge(0).unsqueeze(1));       // [rows, columns] * [rows, 1]
}

bool queries_have_windows(const nn::AttentionLayout& layout) {
  const auto has_window = [](const nn::VectorLayout& query) { return query.window > 1; };
  const auto any = [&](const nn::QueryKind& kind) {
    return std::ranges::any_of(kind.queries, has_window);
  };
  return std::ranges::any_of(layout.groups, [&](const nn::HeadGroup& group) {
    return std::ranges::any_of(group.queries, any);
  });
}

}  // namespace

nn::VectorLayout SummedColumns::add(const nn::VectorLayout& layout, int64_t width) {
  const int64_t distinct = layout.part_step == 0 ? 1 : layout.parts;
  nn::VectorLayout summed = layout;
  summed.column = columns;
  summed.window = 1;
  summed.window_step = 0;
  pieces.push_back({layout.column, distinct * width, layout.window, layout.window_step});
  columns += distinct * width;
  longest_window = std::max(longest_window, layout.window);
  return summed;
}

SummedLayout::SummedLayout(const nn::AttentionLayout& original) : layout(original) {
  const bool has_windows = queries_have_windows(original);
  for (nn::HeadGroup& group : layout.groups) {
    const int64_t width = group.heads * layout.head_dim;
    for (nn::KeyKind& kind : group.keys) {
      kind.key = keys_values.add(kind.key, width);
      kind.value = keys_values.add(kind.value, width);
    }
    for (nn::QueryKind& kind : group.queries) {
      for (nn::VectorLayout& query : kind.queries)
        query = has_windows ? queries.add(query, width) : query;
    }
  }
  later_ = layout;
  for (nn::HeadGroup& group : later_.groups) {
    for (nn::QueryKind& kind : group.queries) kind.first = 0;
  }
}

void sum_windows(const at::Tensor& products,
                 const std::vector<EarlierProducts>& earlier,
                 const SummedColumns& columns,
                 const at::Tensor& sums) {
  if (nn::cpu::has_kernels(products))
    return sum_windows_cpu(products.contiguous(), earlier, columns, sums);
  std::vector<at::Tensor> before, pieces;
  for (const EarlierProducts& products_before : earlier)
    before.push_back(gathered(products_before));
  for (const auto& piece : columns.pieces) {
    const auto tap = [&](const at::Tensor& rows, int64_t lag) {
      return rows.narrow(1, piece.tap(lag), piece.width);  // [rows, width of the piece]
    };
    at::Tensor sum = tap(products, 0);
    for (int64_t lag = 1; lag < lags(piece, before.size()); ++lag)
      sum = sum + tap(before[static_cast<size_t>(lag - 1)], lag);
    pieces.push_back(sum);
  }
  sums.copy_(at::cat(pieces, 1));  // [rows, summed columns]
}

at::Tensor sum_windows(const at::Tensor& products,
                       const PackedTokens& tokens,
                       const SummedColumns& columns) {
  std::vector<EarlierProducts> earlier;
  for (int64_t lag = 1; lag < columns.longest_window; ++lag)
    earlier.push_back({products, rows_before(tokens, lag)});
  const at::Tensor sums = at::empty({products.size(0), columns.columns}, products.options());
  sum_windows(products, earlier, columns, sums);
  return sums;
}

at::Tensor queries_of(const at::Tensor& products,
                      const std::vector<EarlierProducts>& earlier,
                      const SummedLayout& layout) {
  if (layout.queries.pieces.empty())
    return products;
  const at::Tensor sums = at::empty({products.size(0), layout.queries.columns}, products.options());
  sum_windows(products, earlier, layout.queries, sums);
  return sums;
}

std::vector<EarlierProducts> RecentProducts::earlier(const nn::Ancestry& ancestry,
                                                     int64_t count) const {
  std::vector<EarlierProducts> found;
  for (int64_t back = 1; back <= count && back < ancestry.steps(); ++back) {
    std::vector<int64_t> rows;
    for (int64_t row = 0; row < ancestry.rows(); ++row)
      rows.push_back(ancestry.of(row)[ancestry.steps() - 1 - back]);
    found.push_back({newest_first_[static_cast<size_t>(back - 1)], std::move(rows)});
  }
  return found;
}

void RecentProducts::append(const at::Tensor& products, int64_t keep) {
  newest_first_.push_front(products);
  while (static_cast<int64_t>(newest_first_.size()) > keep) newest_first_.pop_back();
}

}  // namespace phraseq::phrasal
