#include "plugins/architectures/phrasal_attention/decoding.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "core/nn/functional/cpu_kernels.h"

namespace phraseq::phrasal {
namespace {

/// The rows of the tokens `lag` before, in packed sentences.
std::vector<int64_t> rows_before(const PackedTokens& tokens, int64_t lag) {
  std::vector<int64_t> rows(static_cast<size_t>(tokens.tokens()), -1);
  for (int64_t s = 0; s < tokens.sentences(); ++s) {
    const auto sentence = static_cast<size_t>(s);
    for (int64_t row = tokens.offsets[sentence] + lag; row < tokens.offsets[sentence + 1]; ++row)
      rows[static_cast<size_t>(row)] = row - lag;
  }
  return rows;
}

/// One row's sums over the windows of a piece.
template <typename T>
void sum_row(const T* products,
             const std::vector<const T*>& earlier,
             const SummedColumns::Piece& piece,
             T* sum) {
  const auto tap = [&](int64_t lag) {
    return piece.column + (piece.window - 1 - lag) * piece.window_step;
  };
  const T* own = products + tap(0);
  std::copy_n(own, piece.width, sum);
  for (int64_t lag = 1; lag < std::min<int64_t>(piece.window, std::ssize(earlier) + 1); ++lag) {
    if (const T* row = earlier[static_cast<size_t>(lag - 1)])
      nn::cpu::loops<T>().dropout_add(row + tap(lag), sum, sum, {0, 1, piece.width}, {});
  }
}

at::Tensor sum_windows_cpu(const at::Tensor& products,
                           const std::vector<EarlierProducts>& earlier,
                           const SummedColumns& columns) {
  at::Tensor sums =
      at::empty({products.size(0), columns.columns}, products.options());  // [rows, summed columns]
  nn::cpu::for_type(products.scalar_type(), [&]<typename T>(T*) {
    nn::cpu::over_rows(sums, [&](int64_t first, int64_t last) {
      std::vector<const T*> before(earlier.size());
      for (int64_t row = first; row < last; ++row) {
        for (size_t k = 0; k < earlier.size(); ++k) {
          const int64_t place = earlier[k].rows[static_cast<size_t>(row)];
          const at::Tensor& from = earlier[k].products;
          before[k] = place < 0 ? nullptr : nn::cpu::data<T>(from) + place * from.size(1);
        }
        T* sum = nn::cpu::mutable_data<T>(sums) + row * columns.columns;
        for (const auto& piece : columns.pieces) {
          sum_row(nn::cpu::data<T>(products) + row * products.size(1), before, piece, sum);
          sum += piece.width;
        }
      }
    });
  });
  return sums;
}

/// The rows themselves, [rows, columns], zero where there is none.
at::Tensor gathered(const EarlierProducts& earlier) {
  const at::Tensor rows = at::tensor(earlier.rows, at::kLong).to(earlier.products.device());
  return earlier.products
      .index_select(0, rows.clamp_min(0))  // [rows, columns]
      .mul(rows.ge(0).unsqueeze(1));       // [rows, columns] * [rows, 1]
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
  for (nn::HeadGroup& group : layout.groups) {
    const int64_t width = group.heads * layout.head_dim;
    for (nn::KeyKind& kind : group.keys) {
      kind.key = keys_values.add(kind.key, width);
      kind.value = keys_values.add(kind.value, width);
    }
    for (nn::QueryKind& kind : group.queries) {
      for (nn::VectorLayout& query : kind.queries) query = queries.add(query, width);
    }
  }
  later_ = layout;
  for (nn::HeadGroup& group : later_.groups) {
    for (nn::QueryKind& kind : group.queries) kind.first = 0;
  }
}

at::Tensor sum_windows(const at::Tensor& products,
                       const std::vector<EarlierProducts>& earlier,
                       const SummedColumns& columns) {
  if (nn::cpu::has_kernels(products))
    return sum_windows_cpu(products.contiguous(), earlier, columns);
  std::vector<at::Tensor> before, sums;
  for (const EarlierProducts& products_before : earlier)
    before.push_back(gathered(products_before));
  for (const auto& piece : columns.pieces) {
    const auto tap = [&](const at::Tensor& rows, int64_t lag) {
      const int64_t column = piece.column + (piece.window - 1 - lag) * piece.window_step;
      return rows.narrow(1, column, piece.width);  // [rows, width of the piece]
    };
    at::Tensor sum = tap(products, 0);
    for (int64_t lag = 1; lag < std::min<int64_t>(piece.window, std::ssize(before) + 1); ++lag)
      sum = sum + tap(before[static_cast<size_t>(lag - 1)], lag);
    sums.push_back(sum);
  }
  return at::cat(sums, 1);  // [rows, summed columns]
}

at::Tensor sum_windows(const at::Tensor& products,
                       const PackedTokens& tokens,
                       const SummedColumns& columns) {
  std::vector<EarlierProducts> earlier;
  for (int64_t lag = 1; lag < columns.longest_window; ++lag)
    earlier.push_back({products, rows_before(tokens, lag)});
  return sum_windows(products, earlier, columns);
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
