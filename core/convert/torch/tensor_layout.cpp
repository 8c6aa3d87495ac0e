#include "core/convert/torch/tensor_layout.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phraseq {
namespace {

/// a + b · c, or nothing when it overflows.
std::optional<int64_t> add_product(int64_t a, int64_t b, int64_t c) {
  int64_t product = 0, sum = 0;
  if (__builtin_mul_overflow(b, c, &product) || __builtin_add_overflow(a, product, &sum))
    return std::nullopt;
  return sum;
}

bool is_negative(int64_t value) { return value < 0; }

}  // namespace

std::optional<std::string> TensorLayout::problem(int64_t storage_elements) const {
  if (shape.size() != strides.size())
    return fmt::format("{} sizes and {} strides", shape.size(), strides.size());
  if (offset < 0 || std::ranges::any_of(shape, is_negative) ||
      std::ranges::any_of(strides, is_negative))
    return "a negative size, stride or offset";
  std::optional<int64_t> count = 1, end = offset;
  for (size_t i = 0; i < shape.size(); ++i) {
    count = count ? add_product(0, *count, shape[i]) : count;
    end = end ? add_product(*end, std::max<int64_t>(shape[i] - 1, 0), strides[i]) : end;
  }
  if (count && *count == 0)
    return std::nullopt;
  if (count && end && *end < storage_elements && *count <= storage_elements)
    return std::nullopt;
  return fmt::format("elements [{}] at {} with strides [{}] in a storage of {}",
                     fmt::join(shape, ", "),
                     offset,
                     fmt::join(strides, ", "),
                     storage_elements);
}

int64_t TensorLayout::elements() const {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

bool TensorLayout::is_contiguous() const {
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected)
      return false;
    expected *= shape[i];
  }
  return true;
}

std::string TensorLayout::gather(std::span<const std::byte> storage, size_t element_bytes) const {
  std::string values;
  const int64_t count = elements();
  values.reserve(static_cast<size_t>(count) * element_bytes);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, place = offset;
    for (size_t d = shape.size(); d-- > 0;) {
      place += rest % shape[d] * strides[d];
      rest /= shape[d];
    }
    const auto element = storage.subspan(static_cast<size_t>(place) * element_bytes, element_bytes);
    values.append(reinterpret_cast<const char*>(element.data()), element.size());
  }
  return values;
}

}  // namespace phraseq
