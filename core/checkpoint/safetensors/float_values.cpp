#include "core/checkpoint/safetensors/float_values.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace phraseq {
namespace {

/// IEEE 754 binary16: 1 sign bit, 5 of the exponent, 10 of the fraction.
double from_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else {
    value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits >> 15) != 0 ? -value : value;
}

/// The upper half of a binary32.
double from_bfloat16(uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
}

template <class Element, class Convert>
std::vector<double> converted(const TensorView& tensor, const Convert& convert) {
  std::vector<double> values(tensor.bytes.size() / sizeof(Element));
  for (size_t i = 0; i < values.size(); ++i) {
    Element element;
    std::memcpy(&element, tensor.bytes.data() + i * sizeof(Element), sizeof(Element));
    values[i] = convert(element);
  }
  return values;
}

template <class Element>
std::string bytes_as(const std::vector<double>& values) {
  std::string bytes(values.size() * sizeof(Element), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    const auto element = static_cast<Element>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(Element), &element, sizeof(Element));
  }
  return bytes;
}

[[noreturn]] void reject(DType dtype, const char* wanted) {
  throw std::invalid_argument(fmt::format("{} is not {}", to_string(dtype), wanted));
}

}  // namespace

bool is_float(DType dtype) {
  return dtype == DType::kF64 || dtype == DType::kF32 || dtype == DType::kF16 ||
         dtype == DType::kBF16;
}

std::vector<double> float_values(const TensorView& tensor) {
  const auto widen = [](auto value) { return static_cast<double>(value); };
  switch (tensor.dtype) {
    case DType::kF64:
      return converted<double>(tensor, widen);
    case DType::kF32:
      return converted<float>(tensor, widen);
    case DType::kF16:
      return converted<uint16_t>(tensor, from_half);
    case DType::kBF16:
      return converted<uint16_t>(tensor, from_bfloat16);
    default:
      reject(tensor.dtype, "a floating-point type");
  }
}

std::string float_bytes(const std::vector<double>& values, DType dtype) {
  if (dtype == DType::kF32)
    return bytes_as<float>(values);
  if (dtype == DType::kF64)
    return bytes_as<double>(values);
  reject(dtype, "F32 or F64");
}

}  // namespace phraseq
