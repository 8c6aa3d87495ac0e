#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn::gpu {

/// The largest number of best columns that the kernel finds quickly.
inline constexpr int64_t kMaxBestColumns = 128;

/// The values that a search needs from each row of scores [rows, columns] with has_kernels():
/// [rows, 2 · best + asked + 1] fp32. First the `best` best scores, best first (among equal ones,
/// the lower column first) and -infinity if there are no more; then their columns; the scores of
/// the columns `asked` [rows, asked] int64; and ln Σ e^score, NaN if it is not finite. Requires 0
/// <= best <= columns.
PHRASEQ_API at::Tensor best_columns(const at::Tensor& scores,
                                    const at::Tensor& asked,
                                    int64_t best);

}  // namespace phraseq::nn::gpu
