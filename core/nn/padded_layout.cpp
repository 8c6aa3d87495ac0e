#include "core/nn/padded_layout.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "core/data/device/to_device.h"
#include "core/nn/kernels/random_bits.h"
#include "core/nn/kernels/sentence_lengths.h"

namespace phraseq::nn::reference {
namespace {

constexpr int64_t kLow32 = 0xffffffffLL;

}  // namespace

PaddedLayout::PaddedLayout(const std::vector<int64_t>& offsets,
                           at::Device device,
                           int64_t least_time)
    : batch(static_cast<int64_t>(offsets.size()) - 1), time(longest(offsets, least_time)) {
  place = at::empty({offsets.back()}, at::kLong);
  mask = at::zeros({batch, time}, at::kBool);
  auto* places = place.mutable_data_ptr<int64_t>();
  auto* marks = mask.mutable_data_ptr<bool>();
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t row = offsets[b]; row < offsets[b + 1]; ++row) {
      places[row] = b * time + row - offsets[b];
      marks[places[row]] = true;
    }
  }
  place = to_device(place, device);
  mask = to_device(mask, device);
}

at::Tensor PaddedLayout::pad(const at::Tensor& rows) const {
  std::vector<int64_t> sizes = rows.sizes().vec();
  sizes[0] = batch * time;
  return at::zeros(sizes, rows.options())
      .index_copy(0, place, rows)    // [batch · time, …]
      .unflatten(0, {batch, time});  // [batch, time, …]
}

at::Tensor PaddedLayout::pack(const at::Tensor& padded) const {
  return padded.flatten(0, 1).index_select(0, place);  // [tokens, …]
}

at::Tensor PaddedLayout::sentence_of_row() const { return place.div(time, "trunc"); }

at::Tensor attention_elements(const PaddedLayout& queries,
                              int64_t all_heads,
                              int64_t first_head,
                              int64_t heads,
                              const at::Tensor& key_numbers) {
  const auto options = queries.place.options();
  const at::Tensor row =
      at::zeros({queries.batch * queries.time}, options)
          .index_copy(0, queries.place, at::arange(queries.place.size(0), options))
          .view({queries.batch, 1, queries.time, 1});  // [batch, 1, tgt_time, 1]
  const at::Tensor head = at::arange(first_head, first_head + heads, options)
                              .view({1, heads, 1, 1});  // [1, heads, 1, 1]
  const at::Tensor start =                              // [batch, heads, tgt_time, 1]
      at::bitwise_and(row * all_heads + head, kLow32) * int64_t{kernels::kRowSpread};
  return start + key_numbers;  // [batch, heads, tgt_time, keys]
}

}  // namespace phraseq::nn::reference
