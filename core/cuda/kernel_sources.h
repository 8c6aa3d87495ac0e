#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq::cuda {

/// The source of a kernel and everything else that its compilation depends on.
struct KernelSource {
  std::string name;                  ///< name of the file, for messages: "adam.cu"
  std::string text;                  ///< the whole source
  std::vector<std::string> options;  ///< of the compiler
};

/// How a lane of a warp holds a row of dropout_add_norm.cu in registers: `packs` packs of `width`
/// neighboring columns.
struct RowVariant {
  int width = 1, packs = 1;
  bool operator==(const RowVariant&) const = default;
};
/// The maximum number of columns in a row; with more, there are not enough registers.
inline constexpr int64_t kMaxRowColumns = 2048;
/// The variant for rows of `columns` numbers of `element_size` bytes, which are read 16 bytes at a
/// time if the rows are aligned to 16 bytes. Requires 0 < columns <= kMaxRowColumns.
PHRASEQ_API RowVariant row_variant(int64_t columns, int64_t element_size, bool is_aligned);

/// The kernels of phraseq, one source each: kernels/common.cu and the kernel, for activations of
/// `element` (0 = fp32, 1 = bf16, 2 = fp16).
PHRASEQ_API const KernelSource& dropout_kernel(int element);
PHRASEQ_API const KernelSource& dropout_add_norm_kernel(int element, RowVariant variant);
PHRASEQ_API const KernelSource& adam_kernel(int element);
PHRASEQ_API const KernelSource& embedding_kernel(int element);
PHRASEQ_API const KernelSource& loss_kernel(int element);
PHRASEQ_API const KernelSource& column_sums_kernel(int element);
PHRASEQ_API const KernelSource& windows_kernel(int element);
PHRASEQ_API const KernelSource& lstm_kernel(int element);
PHRASEQ_API const KernelSource& best_columns_kernel(int element);
/// The kernel for up to `rows` rows.
PHRASEQ_API const KernelSource& few_rows_product_kernel(int element, int64_t rows);
/// The kernel for heads of `head_dim` columns, a multiple of 8.
PHRASEQ_API const KernelSource& past_attention_kernel(int element, int64_t head_dim);
/// The kernels for heads of `head_dim` columns, a multiple of 16 up to kMaxHeadColumns, in 16 bits.
PHRASEQ_API const KernelSource& attention_kernel(int element, int64_t head_dim);
PHRASEQ_API const KernelSource& grouped_attention_kernel(int element, int64_t head_dim);
inline constexpr int64_t kMaxHeadColumns = 128;

}  // namespace phraseq::cuda
