#include "core/plot/thin_out.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace phraseq::plot {
namespace {

/// The points of one strip that are kept, as indices in the curve.
struct Strip {
  size_t first, lowest, highest, last;
};

/// Appends the points of a strip in the order of the curve, without duplicates.
void append(const Strip& strip,
            const std::vector<CurvePoint>& points,
            std::vector<CurvePoint>& kept) {
  std::array<size_t, 4> places = {strip.first, strip.lowest, strip.highest, strip.last};
  std::sort(places.begin(), places.end());
  const auto end = std::unique(places.begin(), places.end());
  for (auto place = places.begin(); place != end; ++place) kept.push_back(points[*place]);
}

/// The strip that begins at `begin`: the points of one column, up to a gap in the curve.
template <class ColumnOf>
Strip strip_from(size_t begin, const std::vector<CurvePoint>& points, const ColumnOf& column_of) {
  const auto column = column_of(begin);
  Strip strip{begin, begin, begin, begin};
  for (size_t place = begin + 1;
       place < points.size() && std::isfinite(points[place].y) && column_of(place) == column;
       ++place) {
    strip.last = place;
    if (points[place].y < points[strip.lowest].y)
      strip.lowest = place;
    if (points[place].y > points[strip.highest].y)
      strip.highest = place;
  }
  return strip;
}

}  // namespace

std::vector<CurvePoint> thin_out(const std::vector<CurvePoint>& points,
                                 double lowest,
                                 double highest,
                                 size_t columns) {
  if (points.size() <= 4 * columns || !(highest > lowest))
    return points;
  const auto column_of = [&](size_t place) {
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
    const Strip strip = strip_from(begin, points, column_of);
    append(strip, points, kept);
    begin = strip.last + 1;
  }
  return kept;
}

}  // namespace phraseq::plot
