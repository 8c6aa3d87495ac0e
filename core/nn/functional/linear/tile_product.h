#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// Whether the product of a [m, k] and b [k, n] can be computed by the processor's tile registers
/// (AMX): bf16 matrices on the CPU, each by rows or by columns, and not empty.
PHRASEQ_API bool tile_product_applies(const at::Tensor& a, const at::Tensor& b);

/// y [m, n] = a b in bf16, with contiguous rows. The sums are in fp32 and do not depend on the
/// other rows and columns, or on the number of threads.
///
/// oneDNN, which ATen's operators use, generates a program for each shape before its first product,
/// and batches of sentences rarely have the same number of tokens. Small products are also faster
/// with tiles.
PHRASEQ_API void tile_product(const at::Tensor& y, const at::Tensor& a, const at::Tensor& b);

/// sum [m, n] += a b in fp32; the product is not rounded before it is added.
PHRASEQ_API void add_tile_product(const at::Tensor& sum, const at::Tensor& a, const at::Tensor& b);

}  // namespace phraseq::nn
