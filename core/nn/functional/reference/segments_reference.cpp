#include "core/nn/functional/reference/segments_reference.h"

#include <algorithm>

#include <ATen/ops/cat.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "core/data/device/to_device.h"
#include "core/nn/functional/reference/functional_reference.h"

namespace phraseq::nn::reference {
namespace {

constexpr double kHidden = -1e9;

/// Rows as [segments, longest]: where each element is, and whether there is one.
struct PaddedView {
  at::Tensor places;  ///< [segments, longest] rows; 0 where there is none
  at::Tensor mask;    ///< [segments, longest]
  at::Tensor rows;    ///< [rows] place of each row in the flattened view
  at::Tensor owner;   ///< [rows] segment of each row

  PaddedView(const SegmentOffsets& offsets, at::Device device) {
    const auto segments = static_cast<int64_t>(offsets.size()) - 1;
    int64_t longest = 1;
    for (int64_t s = 0; s < segments; ++s) longest = std::max(longest, length(offsets, s));
    std::vector<int64_t> place(static_cast<size_t>(segments * longest), 0), row_place, row_owner;
    std::vector<int64_t> present(place.size(), 0);
    for (int64_t s = 0; s < segments; ++s) {
      for (int64_t i = 0; i < length(offsets, s); ++i) {
        place[static_cast<size_t>(s * longest + i)] = offsets[static_cast<size_t>(s)] + i;
        present[static_cast<size_t>(s * longest + i)] = 1;
        row_place.push_back(s * longest + i);
        row_owner.push_back(s);
      }
    }
    const auto on_device = [&](const std::vector<int64_t>& values) {
      return to_device(values, device);
    };
    places = on_device(place).view({segments, longest});       // [segments, longest]
    mask = on_device(present).view({segments, longest}) == 1;  // [segments, longest]
    rows = on_device(row_place);
    owner = on_device(row_owner);
  }

  static int64_t length(const SegmentOffsets& offsets, int64_t s) {
    return offsets[static_cast<size_t>(s) + 1] - offsets[static_cast<size_t>(s)];
  }

  /// [rows, …] → [segments, longest, …], anything where there is no row.
  at::Tensor pad(const at::Tensor& x) const {
    auto sizes = x.sizes().vec();
    sizes[0] = places.size(1);
    sizes.insert(sizes.begin(), places.size(0));
    auto one_row = x.sizes().vec();
    one_row[0] = 1;
    const at::Tensor some =
        at::cat({x, x.new_zeros(one_row)});  // [rows + 1, …]: even of nothing, a row to point at
    return some.index_select(0, places.flatten()).view(sizes);  // [segments, longest, …]
  }
};

}  // namespace

at::Tensor segment_max(const at::Tensor& x, const SegmentOffsets& offsets) {
  const PaddedView view(offsets, x.device());
  const at::Tensor mask = view.mask.unsqueeze(2);  // [segments, longest, 1]
  const at::Tensor padded =                        // [segments, longest, width]
      at::where(mask, view.pad(x), at::zeros({}, x.options()) + kHidden);
  const at::Tensor highest = std::get<0>(padded.max(1));  // [segments, width]
  return at::where(
      view.mask.any(1, true), highest, at::zeros({}, x.options()));  // [segments, width]
}

at::Tensor segment_mean(const at::Tensor& x, const SegmentOffsets& offsets) {
  const PaddedView view(offsets, x.device());
  const at::Tensor sum = (view.pad(x) * view.mask.unsqueeze(2)).sum(1);  // [segments, width]
  return sum / view.mask.sum(1, true).clamp_min(1);                      // [segments, width]
}

at::Tensor segment_scores(const at::Tensor& row,
                          const at::Tensor& segment,
                          const at::Tensor& w2,
                          const SegmentOffsets& offsets,
                          double p,
                          uint64_t key) {
  const PaddedView view(offsets, row.device());
  const at::Tensor z =
      reference::dropout(row + segment.index_select(0, view.owner), p, key);  // [rows, hidden]
  return (at::sigmoid(z.to(w2.scalar_type())) * w2).sum(1);                   // [rows]
}

at::Tensor segment_softmax(const at::Tensor& scores, const SegmentOffsets& offsets) {
  const PaddedView view(offsets, scores.device());
  const at::Tensor padded =  // [segments, longest]
      at::where(view.mask, view.pad(scores), at::zeros({}, scores.options()) + kHidden);
  return at::softmax(padded, 1).flatten().index_select(0, view.rows);  // [rows]
}

at::Tensor segment_weighted_sum(const at::Tensor& x,
                                const at::Tensor& weights,
                                const at::Tensor& rest,
                                const SegmentOffsets& offsets) {
  const PaddedView view(offsets, x.device());
  const at::Tensor shares = view.pad(weights) * view.mask;    // [segments, longest]
  at::Tensor y = (view.pad(x) * shares.unsqueeze(2)).sum(1);  // [segments, width]
  if (rest.defined())
    y = y + (1 - shares.sum(1, true)) * rest;  // [segments, width]
  return y.to(x.scalar_type());
}

}  // namespace phraseq::nn::reference
