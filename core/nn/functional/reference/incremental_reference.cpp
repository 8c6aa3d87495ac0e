#include "core/nn/functional/reference/incremental_reference.h"

#include <algorithm>
#include <numeric>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros_like.h>

#include "core/data/device/to_device.h"
#include "core/nn/functional/reference/grouped_attention_reference.h"
#include "core/nn/functional/sum_type.h"
#include "core/nn/padded_layout.h"

namespace phraseq::nn {
namespace {

/// softmax over the last dimension of scores · scale, in fp32 at least.
at::Tensor scaled_softmax(const at::Tensor& scores, double scale) {
  const auto type = sum_type(scores);
  return at::softmax(scores.to(type) * scale, -1);
}

/// The same for the keys that are not hidden; hidden keys get 0.
at::Tensor masked_softmax(const at::Tensor& scores, double scale, const at::Tensor& hidden) {
  const auto type = sum_type(scores);
  const at::Tensor scaled = (scores.to(type) * scale).masked_fill(hidden, reference::kMaskedScore);
  return at::softmax(scaled, -1).masked_fill(hidden, 0.0);
}

/// The places, in a block of `width` rows per step, of the tokens of `count` steps from `first` on
/// along each row's ancestors: [rows · count].
std::vector<int64_t> places_in_block(const Ancestry& ancestry,
                                     int64_t first,
                                     int64_t count,
                                     int64_t width) {
  std::vector<int64_t> places;
  places.reserve(static_cast<size_t>(ancestry.rows() * count));
  for (int64_t row = 0; row < ancestry.rows(); ++row) {
    const int32_t* const ancestors = ancestry.of(row) + first;
    for (int64_t step = 0; step < count; ++step) places.push_back(step * width + ancestors[step]);
  }
  return places;
}

/// The keys and values of all steps along each row's ancestors, [rows, steps, columns] (2 · model
/// columns in plain attention): one selection per block.
at::Tensor gather_past(const std::vector<at::Tensor>& blocks, const Ancestry& ancestry) {
  std::vector<at::Tensor> past;
  int64_t first = 0;
  for (const at::Tensor& block : blocks) {
    const int64_t count = std::min(block.size(0), ancestry.steps() - first);
    const auto places = places_in_block(ancestry, first, count, block.size(1));
    past.push_back(block
                       .flatten(0, 1)  // [steps of the block · rows then, columns]
                       .index_select(0, to_device(places, block.device()))
                       .view({ancestry.rows(), count, block.size(2)}));
    first += count;
  }
  return past.size() == 1 ? past[0] : at::cat(past, 1);  // [rows, steps, columns]
}

/// The places of the keys of each row, [rows, longest]; -1 after the last one.
at::Tensor places_of_keys(const KeyRanges& ranges, int64_t rows, at::Device device) {
  const int64_t longest = ranges.longest();
  std::vector<int64_t> places(static_cast<size_t>(rows * longest), -1);
  for (int64_t row = 0; row < rows; ++row) {
    const auto begin = places.begin() + row * longest;
    std::iota(begin, begin + ranges.count(row), ranges.begin(row));
  }
  return to_device(places, device).view({rows, longest});
}

}  // namespace

at::Tensor self_attention_reference(const at::Tensor& kvq,
                                    const std::vector<at::Tensor>& blocks,
                                    const Ancestry& ancestry,
                                    int64_t heads,
                                    double scale) {
  const int64_t rows = kvq.size(0), model = kvq.size(1) / 3, head_dim = model / heads;
  const at::Tensor kv =  // [rows, steps, 2, heads, head_dim]
      gather_past(blocks, ancestry).view({rows, -1, 2, heads, head_dim});
  const at::Tensor q =
      kvq.slice(1, 2 * model).reshape({rows, heads, 1, head_dim});  // [rows, heads, 1, head_dim]
  const at::Tensor k = kv.select(2, 0).permute({0, 2, 3, 1});    // [rows, heads, head_dim, steps]
  const at::Tensor v = kv.select(2, 1).transpose(1, 2);          // [rows, heads, steps, head_dim]
  const at::Tensor p = scaled_softmax(at::matmul(q, k), scale);  // [rows, heads, 1, steps]
  return at::matmul(p.to(v.scalar_type()), v).reshape({rows, model});  // [rows, model]
}

at::Tensor cross_attention_reference(const at::Tensor& q,
                                     const at::Tensor& kv,
                                     const KeyRanges& ranges,
                                     int64_t heads,
                                     double scale,
                                     at::Tensor* mean_weights) {
  const int64_t rows = q.size(0), model = q.size(1), head_dim = model / heads;
  const int64_t longest = ranges.longest();
  if (longest == 0)
    return at::zeros_like(q);
  const at::Tensor places = places_of_keys(ranges, rows, q.device());  // [rows, longest]
  const at::Tensor hidden = places.lt(0).view({rows, 1, 1, longest});  // [rows, 1, 1, longest]
  const at::Tensor memory =                                            // of each row
      kv.index_select(0, places.clamp_min(0).view({-1}))  // [rows · longest, 2 · model]
          .view({rows, longest, 2, heads, head_dim});     // [rows, longest, 2, heads, head_dim]
  const at::Tensor k =
      memory.select(2, 0).permute({0, 2, 3, 1});             // [rows, heads, head_dim, longest]
  const at::Tensor v = memory.select(2, 1).transpose(1, 2);  // [rows, heads, longest, head_dim]
  const at::Tensor scores =
      at::matmul(q.reshape({rows, heads, 1, head_dim}), k);    // [rows, heads, 1, longest]
  const at::Tensor p = masked_softmax(scores, scale, hidden);  // [rows, heads, 1, longest]
  if (mean_weights != nullptr)
    mean_weights->copy_(p.mean({1, 2}));                               // [rows, longest]
  return at::matmul(p.to(v.scalar_type()), v).reshape({rows, model});  // [rows, model]
}

namespace {

/// Attends with one query per row to the keys that were gathered for it: q [rows, …], keys [keys of
/// all rows, …] → [rows, out columns].
at::Tensor attend_gathered(const at::Tensor& q,
                           const at::Tensor& keys,
                           const std::vector<int64_t>& key_offsets,
                           const AttentionLayout& layout,
                           at::Tensor* weights) {
  std::vector<int64_t> query_offsets(key_offsets.size());
  std::iota(query_offsets.begin(), query_offsets.end(), 0);
  return reference::grouped_attention(
      q, keys, {query_offsets, key_offsets}, layout, /*causal=*/false, 0.0, 0, weights);
}

}  // namespace

at::Tensor self_attention_reference(const at::Tensor& q,
                                    const std::vector<at::Tensor>& blocks,
                                    const Ancestry& ancestry,
                                    const AttentionLayout& layout) {
  std::vector<int64_t> offsets;
  for (int64_t row = 0; row <= ancestry.rows(); ++row) offsets.push_back(row * ancestry.steps());
  return attend_gathered(q,
                         gather_past(blocks, ancestry).flatten(0, 1),  // [rows · steps, columns]
                         offsets,
                         layout,
                         nullptr);
}

at::Tensor cross_attention_reference(const at::Tensor& q,
                                     const at::Tensor& kv,
                                     const KeyRanges& ranges,
                                     const AttentionLayout& layout,
                                     at::Tensor* weights) {
  std::vector<int64_t> places, offsets = {0};
  for (int64_t row = 0; row < q.size(0); ++row) {
    for (int64_t place = ranges.begin(row); place < ranges.end(row); ++place)
      places.push_back(place);
    offsets.push_back(static_cast<int64_t>(places.size()));
  }
  const at::Tensor keys =  // [keys of all rows, columns]
      kv.index_select(0, to_device(places, kv.device()));
  return attend_gathered(q, keys, offsets, layout, weights);
}

}  // namespace phraseq::nn
