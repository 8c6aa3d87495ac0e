#pragma once

#include <cstdint>

namespace phraseq::nn {

/// One query's scaled dot-product attention over keys that lie anywhere in memory.
///
/// Per head softmax(q Kᵀ · scale) V; sums in fp32 (fp64 for fp64). Without keys the output is zero.
struct AttendShape {
  int64_t heads = 1;
  int64_t head_dim = 1;
  double scale = 1.0;
};

/// q [heads · head_dim]; kv[i] points at the i-th key, with its value `heads · head_dim` elements
/// behind it; out [heads · head_dim]. `weights` has room for heads · keys numbers and receives
/// them, head after head.
void attend_row(const float* q,
                const float* const* kv,
                int64_t keys,
                const AttendShape& shape,
                float* weights,
                float* out);
void attend_row(const double* q,
                const double* const* kv,
                int64_t keys,
                const AttendShape& shape,
                double* weights,
                double* out);
/// bf16 as its bits.
void attend_row(const uint16_t* q,
                const uint16_t* const* kv,
                int64_t keys,
                const AttendShape& shape,
                float* weights,
                uint16_t* out);

}  // namespace phraseq::nn
