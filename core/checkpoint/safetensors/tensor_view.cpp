#include "core/checkpoint/safetensors/tensor_view.h"

#include <array>

namespace phraseq {
namespace {

struct DTypeEntry {
  DType dtype;
  std::string_view name;
  size_t size;
};

// In the order of the enumeration.
constexpr std::array<DTypeEntry, 10> kDTypes = {{{DType::kF64, "F64", 8},
                                                 {DType::kF32, "F32", 4},
                                                 {DType::kF16, "F16", 2},
                                                 {DType::kBF16, "BF16", 2},
                                                 {DType::kI64, "I64", 8},
                                                 {DType::kI32, "I32", 4},
                                                 {DType::kI16, "I16", 2},
                                                 {DType::kI8, "I8", 1},
                                                 {DType::kU8, "U8", 1},
                                                 {DType::kBool, "BOOL", 1}}};

const DTypeEntry& entry_of(DType dtype) { return kDTypes.at(static_cast<size_t>(dtype)); }

}  // namespace

std::string_view to_string(DType dtype) { return entry_of(dtype).name; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (const auto& entry : kDTypes) {
    if (entry.name == text)
      return entry.dtype;
  }
  return std::nullopt;
}

size_t size_of(DType dtype) { return entry_of(dtype).size; }

int64_t TensorView::elements() const {
  int64_t product = 1;
  for (const int64_t extent : shape) product *= extent;
  return product;
}

}  // namespace phraseq
