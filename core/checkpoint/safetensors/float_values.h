#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

PHRASEQ_API bool is_float(DType dtype);  ///< F64, F32, F16 or BF16

/// The values of a tensor of floating-point numbers, exact in double precision. Throws
/// std::invalid_argument for another type.
PHRASEQ_API std::vector<double> float_values(const TensorView& tensor);

/// Values as the bytes of a floating-point type, rounded to nearest, ties to even. Throws
/// std::invalid_argument for another type.
PHRASEQ_API std::string float_bytes(const std::vector<double>& values, DType dtype);

}  // namespace phraseq
