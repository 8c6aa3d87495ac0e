#include "core/nn/positions.h"

#include <cmath>
#include <string>

#include <ATen/ops/zeros.h>

#include "core/base/error.h"

namespace phraseq::nn {
namespace {

double rate(PositionKind kind, int64_t pair, int64_t width) {
  const auto i = static_cast<double>(pair);
  const auto d = static_cast<double>(width);
  const bool whole_width = kind == PositionKind::kInterleaved || kind == PositionKind::kMarian;
  const double exponent = whole_width ? 2.0 * i / d : i / (d / 2.0 - 1.0);
  return std::pow(10000.0, -exponent);
}

}  // namespace

at::Tensor sinusoids(PositionKind kind, int64_t positions, int64_t width) {
  if (kind == PositionKind::kLearned || kind == PositionKind::kNone)
    return {};
  if (width % 2 != 0 || width < 4) {
    throw UsageError("sinusoidal positions (--pos) need an even model width of at least 4, not " +
                         std::to_string(width),
                     "Give another --encoder-embed-dim or --decoder-embed-dim, or --pos learned.");
  }
  const double first = kind == PositionKind::kFairseq ? 2.0 : 0.0;
  const bool interleaved = kind == PositionKind::kInterleaved;
  at::Tensor table = at::zeros({positions, width}, at::kDouble);
  double* values = table.data_ptr<double>();
  for (int64_t t = 0; t < positions; ++t) {
    for (int64_t i = 0; i < width / 2; ++i) {
      const double angle = (first + static_cast<double>(t)) * rate(kind, i, width);
      values[t * width + (interleaved ? 2 * i : i)] = std::sin(angle);
      values[t * width + (interleaved ? 2 * i + 1 : width / 2 + i)] = std::cos(angle);
    }
  }
  return table;
}

}  // namespace phraseq::nn
