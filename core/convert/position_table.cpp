#include "core/convert/position_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/checkpoint/safetensors/float_values.h"

namespace phraseq {
namespace {

/// Larger than what computing the angle in single precision changes at position 1,000.
constexpr double kTolerance = 2e-3;

bool is_near(const std::vector<double>& one, const std::vector<double>& other) {
  for (size_t i = 0; i < one.size(); ++i) {
    if (!(std::abs(one[i] - other[i]) < kTolerance))
      return false;
  }
  return one.size() == other.size();
}

}  // namespace

std::vector<double> position_table(const std::string& kind, int64_t positions, int64_t width) {
  if (kind == "learned" || kind == "none")
    return {};
  const bool interleaved = kind == "interleaved";
  const bool whole_width = interleaved || kind == "marian";
  const double first = kind == "fairseq" ? 2 : 0;
  std::vector<double> table(static_cast<size_t>(positions * width));
  for (int64_t t = 0; t < positions; ++t) {
    for (int64_t i = 0; i < width / 2; ++i) {
      const auto pair = static_cast<double>(i), d = static_cast<double>(width);
      const double exponent = whole_width ? 2 * pair / d : pair / (d / 2 - 1);
      const double angle = (first + static_cast<double>(t)) * std::pow(10000.0, -exponent);
      const int64_t sine = interleaved ? 2 * i : i, cosine = interleaved ? sine + 1 : width / 2 + i;
      table[static_cast<size_t>(t * width + sine)] = std::sin(angle);
      table[static_cast<size_t>(t * width + cosine)] = std::cos(angle);
    }
  }
  return table;
}

std::string kind_of_positions(const TensorView& table, const std::string& path) {
  if (is_float(table.dtype) && table.shape.size() == 2 && table.shape[1] >= 4 &&
      table.shape[1] % 2 == 0) {
    const auto values = float_values(table);
    if (std::ranges::all_of(values, [](double value) { return value == 0; }))
      return "none";
    for (const char* kind : {"marian", "fairseq", "tensor2tensor", "interleaved"}) {
      if (is_near(values, position_table(kind, table.shape[0], table.shape[1])))
        return kind;
    }
  }
  throw FormatError(
      fmt::format("{}: {} holds no known sinusoids; learned positions are not "
                  "supported here",
                  path,
                  table.name));
}

}  // namespace phraseq
