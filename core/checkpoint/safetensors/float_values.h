#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

PHRASEQ_API bool is_float(DType dtype);  ///< F64, F32, F16 or BF16

/// IEEE 754 binary16: 1 sign bit, 5 of the exponent, 10 of the fraction.
PHRASEQ_API double from_half(uint16_t bits);
/// To nearest, ties to even; what is too large becomes infinity.
PHRASEQ_API uint16_t to_half(double value);

/// The values of a tensor of floating-point numbers, exact in double precision. Throws
/// std::invalid_argument for another type.
PHRASEQ_API std::vector<double> float_values(const TensorView& tensor);

/// Values as the bytes of a floating-point type, rounded to nearest, ties to even. Throws
/// std::invalid_argument for another type.
PHRASEQ_API std::string float_bytes(const std::vector<double>& values, DType dtype);

}  // namespace phraseq
