#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

/// Differentiable functions over runs of rows: segment s is rows offsets[s] to offsets[s+1]. They
/// turn words into phrases, sentences into vectors … `offsets` [segments + 1] goes from 0 to the
/// number of rows.
namespace phraseq::nn {

using SegmentOffsets = std::vector<int64_t>;

/// The maximum of each segment's rows, element by element: [rows, width] → [segments, width]; zero
/// for a segment without rows. The gradient goes to the first of several equal maxima.
PHRASEQ_API at::Tensor segment_max(const at::Tensor& x, const SegmentOffsets& offsets);
/// The mean of each segment's rows, [rows, width] → [segments, width]; zero for a segment without
/// rows.
PHRASEQ_API at::Tensor segment_mean(const at::Tensor& x, const SegmentOffsets& offsets);

/// Additive scores of rows against their segment (Bahdanau et al. 2015 with a sigmoid):
/// w2 · sigmoid(dropout(row[r] + segment[s])). row [rows, hidden], segment [segments, hidden],
/// w2 [1, hidden] a parameter. Returns [rows] in fp32 (fp64).
PHRASEQ_API at::Tensor segment_scores(const at::Tensor& row,
                                      const at::Tensor& segment,
                                      const at::Tensor& w2,
                                      const SegmentOffsets& offsets,
                                      double dropout,
                                      Context& context);

/// The softmax of the scores [rows] within each segment, [rows].
PHRASEQ_API at::Tensor segment_softmax(const at::Tensor& scores, const SegmentOffsets& offsets);

/// Σ weights x of each segment, plus (1 - Σ weights) rest[s] if `rest` [segments, width] is
/// defined. x [rows, width], weights [rows] in fp32 (fp64). Returns [segments, width].
PHRASEQ_API at::Tensor segment_weighted_sum(const at::Tensor& x,
                                            const at::Tensor& weights,
                                            const at::Tensor& rest,
                                            const SegmentOffsets& offsets);

}  // namespace phraseq::nn
