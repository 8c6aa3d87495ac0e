#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/nn/kernels/processor_level.h"

namespace phraseq::nn {

/// Arithmetic of the products of linear maps. kInt8: 8-bit weights with a scale for each output,
/// 8-bit inputs with a scale for each row, sums in 32 bits. kBf16: weights and inputs in bfloat16,
/// sums in fp32. Everything else stays fp32.
enum class Quantization { kNone, kInt8, kBf16 };

/// Whether a product of `rows` rows with a packed matrix is computed by phraseq's own kernel rather
/// than by LibTorch's libraries, which pack the matrix on every call.
PHRASEQ_API bool own_product_pays(int64_t rows, Quantization kind, kernels::Level level);

}  // namespace phraseq::nn
