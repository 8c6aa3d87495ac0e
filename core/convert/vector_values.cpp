#include "core/convert/vector_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/checkpoint/safetensors/float_values.h"

namespace phraseq {

std::vector<double> vector_values(const TensorView& tensor, const std::string& path) {
  if (!is_float(tensor.dtype))
    throw FormatError(fmt::format("{}: {} is {}", path, tensor.name, to_string(tensor.dtype)));
  const auto& shape = tensor.shape;
  const bool is_vector = shape.size() == 1 || (shape.size() == 2 && shape[0] == 1);
  if (!is_vector || shape.back() == 0)
    throw FormatError(
        fmt::format("{}: {} is [{}], not a vector", path, tensor.name, fmt::join(shape, ", ")));
  return float_values(tensor);
}

}  // namespace phraseq
