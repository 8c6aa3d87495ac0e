#include "core/plot/colors.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace phraseq::plot {
namespace {

constexpr std::array<const char*, 8> kSeries = {
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7a5c00", "#555555"};

/// ColorBrewer's "Blues" with white below it.
constexpr std::array<std::array<double, 3>, 9> kShades = {{{255, 255, 255},
                                                           {222, 235, 247},
                                                           {198, 219, 239},
                                                           {158, 202, 225},
                                                           {107, 174, 214},
                                                           {66, 146, 198},
                                                           {33, 113, 181},
                                                           {8, 81, 156},
                                                           {8, 48, 107}}};

}  // namespace

std::string series_color(size_t number) { return kSeries[number % kSeries.size()]; }

std::string shade(double share) {
  const double known = std::isnan(share) ? 0.0 : std::clamp(share, 0.0, 1.0);
  const double place = known * (kShades.size() - 1);
  const auto below = std::min(static_cast<size_t>(place), kShades.size() - 2);
  const double rest = place - static_cast<double>(below);
  std::array<int, 3> mixed{};
  for (size_t i = 0; i < 3; ++i) {
    mixed[i] = static_cast<int>(
        std::lround(kShades[below][i] * (1 - rest) + kShades[below + 1][i] * rest));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

}  // namespace phraseq::plot
