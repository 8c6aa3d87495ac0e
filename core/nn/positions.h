#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq::nn {

/// The four published sinusoids, learned vectors, or nothing (`--pos`).
///
///   kInterleaved    PE[p,2i] = sin(p·r_i), PE[p,2i+1] = cos(p·r_i), r_i = 10000^(-2i/d) (Neutron)
///   kTensor2Tensor  PE[p,i] = sin(p·r_i), PE[p,d/2+i] = cos(p·r_i), r_i = 10000^(-i/(d/2-1))
///   kFairseq        like kTensor2Tensor, but the first token's p is 2 (padding index + 1)
///   kMarian         the sines of kInterleaved in the first half, its cosines in the second
///   kLearned        a parameter with fairseq's rows: token t reads row t + 2
enum class PositionKind { kInterleaved, kTensor2Tensor, kFairseq, kLearned, kNone, kMarian };

inline constexpr EnumName<PositionKind> kPositionKindNames[] = {
    {"interleaved", PositionKind::kInterleaved},
    {"tensor2tensor", PositionKind::kTensor2Tensor},
    {"fairseq", PositionKind::kFairseq},
    {"marian", PositionKind::kMarian},
    {"learned", PositionKind::kLearned},
    {"none", PositionKind::kNone}};

/// Row t holds the vector of a sentence's token number t (from 0). [positions, width] fp64;
/// undefined for kLearned and kNone. Throws UsageError for an odd width.
PHRASEQ_API at::Tensor sinusoids(PositionKind kind, int64_t positions, int64_t width);

}  // namespace phraseq::nn
