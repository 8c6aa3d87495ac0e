#pragma once

#include <cstdint>

#include "core/nn/kernels/vector_layout.h"

namespace phraseq::nn {

/// How one query attends (Kernels::attend_row): the heads of one group, their kinds of keys, and
/// the layouts of their vectors. Windows of a VectorLayout are not supported here.
struct AttendShape {
  int64_t heads = 1;
  int64_t head_dim = 1;
  const KeyKind* kinds = nullptr;
  int64_t kind_count = 1;
  const VectorLayout* queries = nullptr;  ///< one for each kind of key, or one for all kinds
  bool shared_query = true;

  /// Returns the number of keys of all kinds for `tokens` tokens.
  int64_t keys_of(int64_t tokens) const {
    int64_t sum = 0;
    for (int64_t k = 0; k < kind_count; ++k)
      sum += tokens > kinds[k].first ? tokens - kinds[k].first : 0;
    return sum;
  }
};

}  // namespace phraseq::nn
