#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Element types of the safetensors layout that are read and written.
enum class DType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8, kBool };

PHRASEQ_API std::string_view to_string(DType dtype);  ///< "F32" …
PHRASEQ_API std::optional<DType> parse_dtype(std::string_view text);
PHRASEQ_API size_t size_of(DType dtype);  ///< bytes of one element

/// A named array, not owned. Its bytes are little-endian, row-major and, in a file that phraseq did
/// not write, not always aligned: copy them, do not cast the pointer.
struct PHRASEQ_API TensorView {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;

  int64_t elements() const;  ///< product of the shape; 1 for a scalar
};

}  // namespace phraseq
