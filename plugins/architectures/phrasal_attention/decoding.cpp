#include "plugins/architectures/phrasal_attention/decoding.h"

#include <algorithm>
#include <numeric>

#include <ATen/ATen.h>

namespace phraseq::phrasal {
namespace {

/// The rows that `ancestry` says, of the step so many before the newest.
at::Tensor ancestors(const nn::Ancestry& ancestry, int64_t back, at::Device device) {
  at::Tensor places = at::empty({ancestry.rows()}, at::kLong);
  auto* place = places.mutable_data_ptr<int64_t>();
  for (int64_t row = 0; row < ancestry.rows(); ++row)
    place[row] = ancestry.of(row)[ancestry.steps() - 1 - back];
  return places.to(device);
}

/// 0, 1 · length, 2 · length, …
std::vector<int64_t> equal_offsets(int64_t count, int64_t length) {
  std::vector<int64_t> offsets(static_cast<size_t>(count) + 1);
  for (int64_t i = 0; i <= count; ++i) offsets[static_cast<size_t>(i)] = i * length;
  return offsets;
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
                       const std::vector<at::Tensor>& earlier,
                       const SummedColumns& columns) {
  std::vector<at::Tensor> sums;
  for (const auto& piece : columns.pieces) {
    const auto tap = [&](const at::Tensor& rows, int64_t lag) {
      const int64_t column = piece.column + (piece.window - 1 - lag) * piece.window_step;
      return rows.narrow(1, column, piece.width);
    };
    at::Tensor sum = tap(products, 0);
    for (int64_t lag = 1; lag < piece.window && lag <= static_cast<int64_t>(earlier.size()); ++lag)
      sum = sum + tap(earlier[static_cast<size_t>(lag - 1)], lag);
    sums.push_back(sum);
  }
  return at::cat(sums, 1);
}

at::Tensor sum_windows(const at::Tensor& products,
                       const PackedTokens& tokens,
                       const SummedColumns& columns) {
  std::vector<at::Tensor> earlier;
  for (int64_t lag = 1; lag < columns.longest_window && lag < products.size(0); ++lag) {
    const at::Tensor moved = at::constant_pad_nd(products, {0, 0, lag, -lag});
    earlier.push_back(moved.mul(tokens.positions.ge(lag).unsqueeze(1)));
  }
  return sum_windows(products, earlier, columns);
}

std::vector<at::Tensor> RecentProducts::earlier(const nn::Ancestry& ancestry, int64_t count) const {
  std::vector<at::Tensor> found;
  for (int64_t back = 1; back <= count && back < ancestry.steps(); ++back) {
    const at::Tensor& products = newest_first_[static_cast<size_t>(back - 1)];
    found.push_back(products.index_select(0, ancestors(ancestry, back, products.device())));
  }
  return found;
}

void RecentProducts::append(const at::Tensor& products, int64_t keep) {
  newest_first_.push_front(products);
  while (static_cast<int64_t>(newest_first_.size()) > keep) newest_first_.pop_back();
}

at::Tensor PastKeys::attend(const at::Tensor& queries,
                            const nn::Ancestry& ancestry,
                            const nn::AttentionLayout& layout,
                            nn::Context& context) const {
  std::vector<at::Tensor> past;
  const int64_t steps = ancestry.steps();
  for (int64_t step = 0; step < steps; ++step) {
    const at::Tensor rows = ancestors(ancestry, steps - 1 - step, queries.device());
    past.push_back(steps_[static_cast<size_t>(step)].index_select(0, rows));
  }
  const std::vector<int64_t> query_offsets = equal_offsets(ancestry.rows(), 1);
  const std::vector<int64_t> key_offsets = equal_offsets(ancestry.rows(), steps);
  return nn::grouped_attention(queries,
                               at::stack(past, 1).flatten(0, 1),
                               {query_offsets, key_offsets},
                               layout,
                               /*causal=*/false,
                               /*dropout=*/0.0,
                               context);
}

at::Tensor attend_to_sources(const at::Tensor& queries,
                             const at::Tensor& keys_values,
                             const nn::DecodingRows& rows,
                             const nn::AttentionLayout& layout,
                             nn::Context& context,
                             at::Tensor* weights) {
  std::vector<int64_t> places, offsets = {0};
  for (const int64_t sentence : rows.sentence_of_row) {
    const auto s = static_cast<size_t>(sentence);
    for (int64_t row = rows.source_offsets[s]; row < rows.source_offsets[s + 1]; ++row)
      places.push_back(row);
    offsets.push_back(static_cast<int64_t>(places.size()));
  }
  const at::Tensor keys =
      keys_values.index_select(0, at::tensor(places, at::kLong).to(queries.device()));
  return nn::grouped_attention(queries,
                               keys,
                               {equal_offsets(queries.size(0), 1), offsets},
                               layout,
                               /*causal=*/false,
                               /*dropout=*/0.0,
                               context,
                               weights);
}

}  // namespace phraseq::phrasal
