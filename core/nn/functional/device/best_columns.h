#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn::gpu {

/// The most best columns that the kernel finds fast.
inline constexpr int64_t kMaxBestColumns = 128;

/// What a search asks of each row of scores [rows, columns] with has_kernels(): [rows, 2 · best +
/// asked + 1] fp32. First the `best` best scores, best first (of equal ones, the lower column) and
/// -infinity where there are no more; then their columns; the scores of the columns `asked` [rows,
/// asked] int64; and ln Σ e^score, NaN where that is not finite. Requires 0 <= best <= columns.
PHRASEQ_API at::Tensor best_columns(const at::Tensor& scores,
                                    const at::Tensor& asked,
                                    int64_t best);

}  // namespace phraseq::nn::gpu
