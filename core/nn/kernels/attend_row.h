#pragma once

#include <cstdint>

#include "core/nn/kernels/vector_layout.h"

namespace phraseq::nn {

/// One query's scaled dot-product attention over keys that lie anywhere in memory, for the heads of
/// one group (see AttentionLayout; no windows).
///
/// Per head softmax over all kinds of keys, then their values; sums in fp32 (fp64 for fp64).
/// Without keys the output is zero.
struct AttendShape {
  int64_t heads = 1;
  int64_t head_dim = 1;
  const KeyKind* kinds = nullptr;
  int64_t kind_count = 1;
  const VectorLayout* queries = nullptr;  ///< one for each kind, or one for all
  bool shared_query = true;

  /// Keys of all kinds among so many tokens.
  int64_t keys_of(int64_t tokens) const {
    int64_t sum = 0;
    for (int64_t k = 0; k < kind_count; ++k)
      sum += tokens > kinds[k].first ? tokens - kinds[k].first : 0;
    return sum;
  }
};

/// q is the query's row; kv[i] points at the i-th token's keys and values; out [heads · head_dim].
/// `weights` has room for heads · keys_of(tokens) numbers and receives them, head after head.
void attend_row(const float* q,
                const float* const* kv,
                int64_t tokens,
                const AttendShape& shape,
                float* weights,
                float* out);
void attend_row(const double* q,
                const double* const* kv,
                int64_t tokens,
                const AttendShape& shape,
                double* weights,
                double* out);
/// bf16 as its bits.
void attend_row(const uint16_t* q,
                const uint16_t* const* kv,
                int64_t tokens,
                const AttendShape& shape,
                float* weights,
                uint16_t* out);

}  // namespace phraseq::nn
