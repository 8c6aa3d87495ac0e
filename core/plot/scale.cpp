#include "core/plot/scale.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace phraseq::plot {
namespace {

/// The largest number on an axis: the difference of two such numbers does not overflow.
constexpr double kLargest = 1e300;

/// Inserts separators: "1234567.5" becomes "1,234,567.5".
std::string with_separators(std::string text) {
  const size_t begin = text.starts_with('-') ? 1 : 0;
  size_t place = std::min(text.find('.'), text.size());
  while (place > begin + 3) text.insert(place -= 3, ",");
  return text;
}

/// The smallest distance that is 1, 2 or 5 times a power of ten and not below `wanted`.
double round_distance(double wanted) {
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= wanted * (1 - 1e-9))
      return factor * power;
  }
  return 10 * power;
}

}  // namespace

Scale::Scale(double lowest, double highest, int intervals) {
  lowest = std::clamp(lowest, -kLargest, kLargest);
  highest = std::clamp(highest, -kLargest, kLargest);
  const double size = std::max(std::abs(lowest), std::abs(highest));
  if (!(highest - lowest > size * 1e-9))
    highest = lowest + std::max(1.0, size * 1e-3);
  const double distance = round_distance((highest - lowest) / std::max(1, intervals));
  const double below = std::floor(lowest / distance + 1e-9);
  const double above = std::ceil(highest / distance - 1e-9);
  for (double step = below; step <= above; ++step) ticks_.push_back(step * distance);
  decimals_ = std::max(0, static_cast<int>(std::ceil(-std::log10(distance) - 1e-9)));
}

std::string Scale::label(double value) const {
  const std::string text = fmt::format("{:.{}f}", value, decimals_);
  return text == "-0" ? "0" : with_separators(text);
}

}  // namespace phraseq::plot
