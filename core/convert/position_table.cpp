#include "core/convert/position_table.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/checkpoint/safetensors/float_values.h"

namespace phraseq {
namespace {

constexpr const char* kLearned = "learned";

/// What may change a value of a sinusoid: rounding, and computing the angle in single precision.
double rounding(int64_t position) { return 2e-6 + 3e-7 * static_cast<double>(position); }

/// Enough for tables in half precision, which are the model's own where positions are not learned.
double half_rounding(int64_t position) { return 4e-3 + rounding(position); }

using Tolerance = double(int64_t position);

bool is_near(const std::vector<double>& one,
             const std::vector<double>& other,
             int64_t width,
             Tolerance& tolerance) {
  for (size_t i = 0; i < one.size(); ++i) {
    if (!(std::abs(one[i] - other[i]) < tolerance(static_cast<int64_t>(i) / width)))
      return false;
  }
  return one.size() == other.size();
}

std::string kind_within(const TensorView& table, const std::string& path, Tolerance& tolerance) {
  if (!is_float(table.dtype) || table.shape.size() != 2)
    throw FormatError(fmt::format("{}: {} is not a table of positions", path, table.name));
  const auto values = float_values(table);
  if (std::ranges::all_of(values, [](double value) { return value == 0; }))
    return "none";
  const int64_t width = table.shape[1];
  if (width < 4 || width % 2 != 0)
    return kLearned;
  for (const char* kind : {"marian", "fairseq", "tensor2tensor", "interleaved"}) {
    if (is_near(values, position_table(kind, table.shape[0], width), width, tolerance))
      return kind;
  }
  return kLearned;
}

}  // namespace

std::vector<double> position_table(const std::string& kind, int64_t positions, int64_t width) {
  if (kind == kLearned || kind == "none")
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
  return kind_within(table, path, rounding);
}

std::string kind_of_sinusoids(const TensorView& table, const std::string& path) {
  const std::string kind = kind_within(table, path, half_rounding);
  if (kind == kLearned) {
    throw FormatError(
        fmt::format("{}: {} holds no known sinusoids; learned positions are not supported here",
                    path,
                    table.name));
  }
  return kind;
}

void add_learned_positions(ImportedModel& model,
                           std::vector<TensorView>& weights,
                           const TensorView& table,
                           const std::string& stack) {
  auto values = float_values(table);
  values.insert(values.begin(), static_cast<size_t>(kLearnedPositionOffset * table.shape[1]), 0.0);
  const auto& kept = model.owned.emplace_back(float_bytes(values, DType::kF32));
  weights.push_back({stack + ".embed_positions.weight",
                     DType::kF32,
                     {table.shape[0] + kLearnedPositionOffset, table.shape[1]},
                     std::as_bytes(std::span(kept))});
}

}  // namespace phraseq
