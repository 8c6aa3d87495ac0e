#include "core/plot/thin_out.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace phraseq::plot {
namespace {

/// The points of one strip, as numbers of places in the curve.
struct Strip {
  size_t first, lowest, highest, last;
};

/// In the order of the curve, each once.
void append(const Strip& strip,
            const std::vector<CurvePoint>& points,
            std::vector<CurvePoint>& kept) {
  std::array<size_t, 4> places = {strip.first, strip.lowest, strip.highest, strip.last};
  std::sort(places.begin(), places.end());
  const auto end = std::unique(places.begin(), places.end());
  for (auto place = places.begin(); place != end; ++place) kept.push_back(points[*place]);
}

}  // namespace

std::vector<CurvePoint> thin_out(const std::vector<CurvePoint>& points,
                                 double lowest,
                                 double highest,
                                 size_t columns) {
  if (points.size() <= 4 * columns || !(highest > lowest))
    return points;
  const auto strip_of = [&](size_t place) {
    const double share = (points[place].x - lowest) / (highest - lowest);
    return static_cast<int64_t>(share * static_cast<double>(columns));
  };
  std::vector<CurvePoint> kept;
  for (size_t begin = 0; begin < points.size();) {
    if (!std::isfinite(points[begin].y)) {
      if (!kept.empty() && std::isfinite(kept.back().y))
        kept.push_back(points[begin]);
      ++begin;
      continue;
    }
    Strip strip{begin, begin, begin, begin};
    size_t end = begin;
    for (; end < points.size() && std::isfinite(points[end].y) && strip_of(end) == strip_of(begin);
         ++end) {
      strip.last = end;
      if (points[end].y < points[strip.lowest].y)
        strip.lowest = end;
      if (points[end].y > points[strip.highest].y)
        strip.highest = end;
    }
    append(strip, points, kept);
    begin = end;
  }
  return kept;
}

}  // namespace phraseq::plot
