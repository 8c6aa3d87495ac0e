#include "core/plot/heat_map.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/plot/colors.h"
#include "core/plot/scale.h"

namespace phraseq::plot {
namespace {

constexpr double kMapMargin = 20;
constexpr double kMapTitleSize = 16;
constexpr double kAxisLabelSize = 12;
constexpr double kCell = 24;
constexpr double kLabelGap = 7;
constexpr double kGroupBand = 20;
constexpr double kShadeWidth = 14;
constexpr int kShadeSteps = 50;
constexpr double kTurn = -60;
constexpr double kSlope = 0.87;  ///< sine of the rotation: height of a rotated label per width

void check(const HeatMap& map) {
  const auto grouped = [](const HeatMapAxis& axis) {
    return std::accumulate(
        axis.groups.begin(), axis.groups.end(), size_t{0}, [](size_t sum, const LabelGroup& group) {
          return sum + group.size;
        });
  };
  for (const auto* axis : {&map.rows, &map.columns}) {
    if (!axis->groups.empty() && grouped(*axis) != axis->labels.size()) {
      throw UsageError(fmt::format(
          "heat map: groups of {} labels, expected {}", grouped(*axis), axis->labels.size()));
    }
  }
  if (map.values.size() != map.rows.labels.size() * map.columns.labels.size()) {
    throw UsageError(fmt::format("heat map: {} values, expected {} rows of {}",
                                 map.values.size(),
                                 map.rows.labels.size(),
                                 map.columns.labels.size()));
  }
}

double widest(const std::vector<std::string>& labels) {
  double width = 0;
  for (const auto& label : labels) width = std::max(width, text_width(label, kAxisLabelSize));
  return width;
}

bool has_names(const std::vector<LabelGroup>& groups) {
  return std::any_of(
      groups.begin(), groups.end(), [](const LabelGroup& group) { return !group.name.empty(); });
}

/// The positions of the parts of the picture.
struct Places {
  explicit Places(const HeatMap& map) {
    cells_width = kCell * static_cast<double>(map.columns.labels.size());
    cells_height = kCell * static_cast<double>(map.rows.labels.size());
    const double row_band =
        (has_names(map.rows.groups) ? kGroupBand : 0) + (map.rows.title.empty() ? 0 : kGroupBand);
    const double column_band = (has_names(map.columns.groups) ? kGroupBand : 0) +
                               (map.columns.title.empty() ? 0 : kGroupBand);
    left = kMapMargin + row_band + widest(map.rows.labels) + kLabelGap;
    const double widest_column = widest(map.columns.labels);
    upright = widest_column < kCell;
    const double label_height = upright ? kAxisLabelSize : widest_column * kSlope + kAxisLabelSize;
    top = kMapMargin + kMapTitleSize + 12 + column_band + label_height + kLabelGap;
    const double overhang =
        map.columns.labels.empty() ? 0 : text_width(map.columns.labels.back(), kAxisLabelSize) / 2;
    shades_left = left + cells_width + (upright ? 24.0 : std::max(overhang, 24.0));
    width = shades_left + kShadeWidth + 40 + kMapMargin;
    width = std::max(width, kMapMargin * 2 + text_width(map.title, kMapTitleSize) * 1.15);
    height = top + std::max(cells_height, 120.0) + kMapMargin;
  }

  double left, top, cells_width, cells_height, shades_left, width, height;
  bool upright;  ///< false: the labels of the columns are rotated
};

/// Calls `name` with the middle of each named group, and `border` with each border between groups,
/// in cells.
template <class Name, class Border>
void for_each_group(const std::vector<LabelGroup>& groups, const Name& name, const Border& border) {
  double begin = 0;
  for (const auto& group : groups) {
    const double end = begin + static_cast<double>(group.size);
    if (begin > 0)
      border(begin);
    if (group.size > 0 && !group.name.empty())
      name((begin + end) / 2, group.name);
    begin = end;
  }
}

void draw_cells(Svg& svg, const HeatMap& map, const Places& places) {
  const double range = map.highest > map.lowest ? map.highest - map.lowest : 1;
  const size_t columns = map.columns.labels.size();
  for (size_t row = 0; row < map.rows.labels.size(); ++row) {
    for (size_t column = 0; column < columns; ++column) {
      const double value = map.values[row * columns + column];
      svg.rectangle(
          {places.left + kCell * static_cast<double>(column),
           places.top + kCell * static_cast<double>(row)},
          kCell,
          kCell,
          {.fill = shade((value - map.lowest) / range), .stroke = "#eeeeee", .stroke_width = 0.5},
          fmt::format("{} – {}: {:.4f}", map.rows.labels[row], map.columns.labels[column], value));
    }
  }
  svg.rectangle(
      {places.left, places.top}, places.cells_width, places.cells_height, {.stroke = "#888888"});
}

void draw_row_labels(Svg& svg, const HeatMapAxis& axis, const Places& places) {
  const Paint border{.stroke = "#d55e00", .stroke_width = 1.5};
  for (size_t row = 0; row < axis.labels.size(); ++row) {
    svg.text({places.left - kLabelGap, places.top + kCell * (static_cast<double>(row) + 0.5) + 4},
             axis.labels[row],
             {.size = kAxisLabelSize, .anchor = Anchor::kEnd});
  }
  const TextStyle aside{
      .size = kAxisLabelSize, .anchor = Anchor::kMiddle, .color = "#777777", .turn = -90};
  double band = kMapMargin + kAxisLabelSize;
  if (!axis.title.empty()) {
    svg.text({band, places.top + places.cells_height / 2}, axis.title, aside);
    band += kGroupBand;
  }
  for_each_group(
      axis.groups,
      [&](double middle, const std::string& name) {
        svg.text({band, places.top + kCell * middle}, name, aside);
      },
      [&](double place) {
        const double y = places.top + kCell * place;
        svg.line({places.left, y}, {places.left + places.cells_width, y}, border);
      });
}

void draw_column_labels(Svg& svg, const HeatMapAxis& axis, const Places& places) {
  const Paint border{.stroke = "#d55e00", .stroke_width = 1.5};
  for (size_t column = 0; column < axis.labels.size(); ++column) {
    const double middle = places.left + kCell * (static_cast<double>(column) + 0.5);
    const TextStyle style = places.upright
                                ? TextStyle{.size = kAxisLabelSize, .anchor = Anchor::kMiddle}
                                : TextStyle{.size = kAxisLabelSize, .turn = kTurn};
    svg.text(
        {places.upright ? middle : middle + 4, places.top - kLabelGap}, axis.labels[column], style);
  }
  const TextStyle aside{.size = kAxisLabelSize, .anchor = Anchor::kMiddle, .color = "#777777"};
  double band = kMapMargin + kMapTitleSize + 12 + kAxisLabelSize;
  if (!axis.title.empty()) {
    svg.text({places.left + places.cells_width / 2, band}, axis.title, aside);
    band += kGroupBand;
  }
  for_each_group(
      axis.groups,
      [&](double middle, const std::string& name) {
        svg.text({places.left + kCell * middle, band}, name, aside);
      },
      [&](double place) {
        const double x = places.left + kCell * place;
        svg.line({x, places.top}, {x, places.top + places.cells_height}, border);
      });
}

/// Draws the scale of the shades with their numbers, on the right.
void draw_shades(Svg& svg, const HeatMap& map, const Places& places) {
  const double left = places.shades_left;
  const double height = std::clamp(places.cells_height, 120.0, 240.0);
  for (int step = 0; step < kShadeSteps; ++step) {
    const double share = (step + 0.5) / kShadeSteps;
    svg.rectangle({left, places.top + height * (1 - (step + 1.0) / kShadeSteps)},
                  kShadeWidth,
                  height / kShadeSteps + 0.5,
                  {.fill = shade(share)});
  }
  svg.rectangle({left, places.top}, kShadeWidth, height, {.stroke = "#888888"});
  const Scale scale(map.lowest, map.highest, 4);
  for (const double tick : scale.ticks()) {
    const double share = (tick - map.lowest) / (map.highest - map.lowest);
    if (share > -1e-9 && share < 1 + 1e-9) {
      svg.text({left + kShadeWidth + 6, places.top + height * (1 - share) + 4},
               scale.label(tick),
               {.size = 10.5, .color = "#777777"});
    }
  }
}

}  // namespace

Svg heat_map(const HeatMap& map) {
  check(map);
  const Places places(map);
  Svg svg(places.width, places.height, map.title);
  svg.text({kMapMargin, kMapMargin + kMapTitleSize},
           map.title,
           {.size = kMapTitleSize, .color = "#222222", .bold = true});
  draw_cells(svg, map, places);
  draw_row_labels(svg, map.rows, places);
  draw_column_labels(svg, map.columns, places);
  if (map.highest > map.lowest)
    draw_shades(svg, map, places);
  return svg;
}

}  // namespace phraseq::plot
