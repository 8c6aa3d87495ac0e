#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

/// The values of a vector, which a toolkit may store as a matrix of one row. Throws a FormatError
/// that begins with `path` if the tensor is something else, is empty, or has no floating-point
/// numbers.
PHRASEQ_API std::vector<double> vector_values(const TensorView& tensor, const std::string& path);

}  // namespace phraseq
