#include "core/checkpoint/safetensors/float_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace phraseq {

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

uint16_t to_half(double value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double size = std::fabs(value);
  if (std::isnan(value))
    return 0x7e00;
  if (size == 0 || size >= 65520)
    return size == 0 ? sign : sign | 0x7c00;
  int exponent = 0;
  std::frexp(size, &exponent);  // size = 0.5 to 1 times 2^exponent
  const int unit = std::max(exponent - 11, -24);
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(size, -unit)));  // at most 2048
  const int bits = unit == -24 ? units : (unit + 24) * 1024 + units;
  return static_cast<uint16_t>(sign | bits);
}

namespace {

/// The upper half of a binary32.
double from_bfloat16(uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
}

uint16_t to_bfloat16(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (std::isnan(value))
    return 0x7fc0;
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
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

template <class Element, class Convert>
std::string bytes_as(const std::vector<double>& values, const Convert& convert) {
  std::string bytes(values.size() * sizeof(Element), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    const Element element = convert(values[i]);
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
  switch (dtype) {
    case DType::kF64:
      return bytes_as<double>(values, [](double value) { return value; });
    case DType::kF32:
      return bytes_as<float>(values, [](double value) { return static_cast<float>(value); });
    case DType::kF16:
      return bytes_as<uint16_t>(values, to_half);
    case DType::kBF16:
      return bytes_as<uint16_t>(values, to_bfloat16);
    default:
      reject(dtype, "a floating-point type");
  }
}

}  // namespace phraseq
