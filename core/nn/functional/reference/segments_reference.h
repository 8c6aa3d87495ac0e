#pragma once

#include "core/nn/functional/segments.h"

/// The functions of segments.h, with the same shapes, by means of ATen's operators on padded
/// tensors [segments, longest, …], for devices without phraseq's kernels; tests compare the kernels
/// with them.
namespace phraseq::nn::reference {

PHRASEQ_API at::Tensor segment_max(const at::Tensor& x, const SegmentOffsets& offsets);
PHRASEQ_API at::Tensor segment_mean(const at::Tensor& x, const SegmentOffsets& offsets);
PHRASEQ_API at::Tensor segment_scores(const at::Tensor& row,
                                      const at::Tensor& segment,
                                      const at::Tensor& w2,
                                      const SegmentOffsets& offsets,
                                      double p,
                                      uint64_t key);
PHRASEQ_API at::Tensor segment_softmax(const at::Tensor& scores, const SegmentOffsets& offsets);
PHRASEQ_API at::Tensor segment_weighted_sum(const at::Tensor& x,
                                            const at::Tensor& weights,
                                            const at::Tensor& rest,
                                            const SegmentOffsets& offsets);

}  // namespace phraseq::nn::reference
