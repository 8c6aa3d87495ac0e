#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Where the elements of a strided tensor are in its storage. All numbers count elements.
struct PHRASEQ_API TensorLayout {
  int64_t offset = 0;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;

  /// What is wrong with these numbers for a storage of `storage_elements`, or nothing: negative
  /// numbers, products that overflow, elements beyond the storage, more elements than it has.
  std::optional<std::string> problem(int64_t storage_elements) const;
  /// Only for a layout without problems.
  int64_t elements() const;
  /// Whether the elements follow one another in row-major order.
  bool is_contiguous() const;
  /// The elements in row-major order.
  std::string gather(std::span<const std::byte> storage, size_t element_bytes) const;
};

}  // namespace phraseq
