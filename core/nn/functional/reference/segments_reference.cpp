#include "core/nn/functional/reference/segments_reference.h"

#include <tuple>

#include <ATen/TensorOperators.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "core/nn/functional/reference/functional_reference.h"
#include "core/nn/padded_layout.h"

namespace phraseq::nn::reference {
namespace {

constexpr int64_t kOneRow = 1;  // minimum length of the layout, even if no segment has a row

/// [segments, longest, …]: the rows, and kMaskedScore elsewhere. `mask` has as many dimensions.
at::Tensor pad_with_masked_scores(const PaddedLayout& layout,
                                  const at::Tensor& rows,
                                  const at::Tensor& mask) {
  return at::where(mask, layout.pad(rows), at::zeros({}, rows.options()) + kMaskedScore);
}

}  // namespace

at::Tensor segment_max(const at::Tensor& x, const SegmentOffsets& offsets) {
  const PaddedLayout layout(offsets, x.device(), kOneRow);
  const at::Tensor padded =  // [segments, longest, width]
      pad_with_masked_scores(layout, x, layout.mask.unsqueeze(2));
  const at::Tensor highest = std::get<0>(padded.max(1));  // [segments, width]
  return at::where(
      layout.mask.any(1, true), highest, at::zeros({}, x.options()));  // [segments, width]
}

at::Tensor segment_mean(const at::Tensor& x, const SegmentOffsets& offsets) {
  const PaddedLayout layout(offsets, x.device(), kOneRow);
  return layout.pad(x).sum(1) / layout.mask.sum(1, true).clamp_min(1);  // [segments, width]
}

at::Tensor segment_scores(const at::Tensor& row,
                          const at::Tensor& segment,
                          const at::Tensor& w2,
                          const SegmentOffsets& offsets,
                          double p,
                          uint64_t key) {
  const PaddedLayout layout(offsets, row.device(), kOneRow);
  const at::Tensor of_rows = segment.index_select(0, layout.sentence_of_row());  // [rows, hidden]
  const at::Tensor z = reference::dropout(row + of_rows, p, key);                // [rows, hidden]
  return (at::sigmoid(z.to(w2.scalar_type())) * w2).sum(1);                      // [rows]
}

at::Tensor segment_softmax(const at::Tensor& scores, const SegmentOffsets& offsets) {
  const PaddedLayout layout(offsets, scores.device(), kOneRow);
  const at::Tensor padded =  // [segments, longest]
      pad_with_masked_scores(layout, scores, layout.mask);
  return layout.pack(at::softmax(padded, 1));  // [rows]
}

at::Tensor segment_weighted_sum(const at::Tensor& x,
                                const at::Tensor& weights,
                                const at::Tensor& rest,
                                const SegmentOffsets& offsets) {
  const PaddedLayout layout(offsets, x.device(), kOneRow);
  const at::Tensor shares = layout.pad(weights);                // [segments, longest]
  at::Tensor y = (layout.pad(x) * shares.unsqueeze(2)).sum(1);  // [segments, width]
  if (rest.defined())
    y = y + (1 - shares.sum(1, true)) * rest;  // [segments, width]
  return y.to(x.scalar_type());
}

}  // namespace phraseq::nn::reference
