#include "core/plot/chart_frame.h"

#include <algorithm>
#include <limits>

#include "core/plot/colors.h"

namespace phraseq::plot {
namespace {

constexpr double kMargin = 20;
constexpr double kPlotHeight = 300;
constexpr double kTitleSize = 16;
constexpr double kTextSize = 12;
constexpr double kNoteSize = 10.5;
constexpr double kLegendLine = 20;
constexpr double kLegendMark = 12;
constexpr double kMinPlotWidth = 360;

constexpr const char* kDark = "#222222";
constexpr const char* kGray = "#777777";
constexpr const char* kGrid = "#e4e4e4";
constexpr const char* kAxis = "#999999";

bool has_notes(const Chart& chart) {
  return std::any_of(chart.categories.begin(), chart.categories.end(), [](const Category& c) {
    return !c.note.empty();
  });
}

double widest_category(const Chart& chart) {
  double widest = 0;
  for (const auto& category : chart.categories) {
    widest = std::max(
        {widest, text_width(category.name, kTextSize), text_width(category.note, kNoteSize)});
  }
  return widest;
}

}  // namespace

Scale value_scale(const Chart& chart, bool zero) {
  double lowest = zero ? 0 : std::numeric_limits<double>::infinity();
  double highest = zero ? 0 : -std::numeric_limits<double>::infinity();
  for (const auto& series : chart.series) {
    for (const auto& value : series.values) {
      if (!value)
        continue;
      lowest = std::min(lowest, value->low.value_or(value->value));
      highest = std::max(highest, value->high.value_or(value->value));
    }
  }
  if (lowest > highest)
    lowest = highest = 0;
  return {chart.lowest.value_or(lowest), chart.highest.value_or(highest), 7};
}

void draw_interval(Svg& svg, double x, double low_y, double high_y, const std::string& color) {
  const Paint paint{.stroke = color, .stroke_width = 1.2};
  svg.line({x, low_y}, {x, high_y}, paint);
  svg.line({x - 3, low_y}, {x + 3, low_y}, paint);
  svg.line({x - 3, high_y}, {x + 3, high_y}, paint);
}

ChartFrame::ChartFrame(const Chart& chart, const Scale& scale, double category_width)
    : chart_(chart), scale_(scale) {
  const auto categories = static_cast<double>(std::max<size_t>(1, chart.categories.size()));
  category_width_ =
      std::max({category_width, widest_category(chart) + 10, kMinPlotWidth / categories});
  double tick_width = 0;
  for (const double tick : scale.ticks())
    tick_width = std::max(tick_width, text_width(scale.label(tick), kTextSize));
  left_ = kMargin + (chart.value_title.empty() ? 0 : kTextSize + 10) + tick_width + 8;
  plot_width_ = category_width_ * categories;
  width_ =
      std::max(left_ + plot_width_, kMargin + text_width(chart.title, kTitleSize) * 1.15) + kMargin;
  top_ = kMargin + kTitleSize + 14;
  const auto places = legend_places();
  top_ = (places.empty() ? top_ : places.back().y + 10) + 14;
  height_ = top_ + kPlotHeight + 22 + (has_notes(chart) ? kNoteSize + 4 : 0) +
            (chart.category_title.empty() ? 0 : kTextSize + 12) + kMargin;
}

double ChartFrame::x(size_t category) const {
  return left_ + category_width_ * (static_cast<double>(category) + 0.5);
}

double ChartFrame::y(double value) const {
  return top_ + kPlotHeight * (1 - std::clamp(scale_.share(value), 0.0, 1.0));
}

std::vector<Point> ChartFrame::legend_places() const {
  std::vector<Point> places;
  if (chart_.series.size() < 2)
    return places;
  Point place{kMargin, kMargin + kTitleSize + 20};
  for (const auto& series : chart_.series) {
    const double needed = kLegendMark + 6 + text_width(series.name, kTextSize) + 18;
    if (place.x > kMargin && place.x + needed > left_ + plot_width_) {
      place.x = kMargin;
      place.y += kLegendLine;
    }
    places.push_back(place);
    place.x += needed;
  }
  return places;
}

void ChartFrame::draw_legend(Svg& svg) const {
  const auto places = legend_places();
  for (size_t i = 0; i < places.size(); ++i) {
    const auto [x, y] = places[i];
    svg.rectangle({x, y - kLegendMark + 2}, kLegendMark, kLegendMark, {.fill = series_color(i)});
    svg.text({x + kLegendMark + 6, y + 1}, chart_.series[i].name, {.size = kTextSize});
  }
}

void ChartFrame::draw_values_axis(Svg& svg) const {
  for (const double tick : scale_.ticks()) {
    const double height = y(tick);
    svg.line({left_, height}, {left_ + plot_width_, height}, {.stroke = kGrid});
    svg.text({left_ - 8, height + 4},
             scale_.label(tick),
             {.size = kTextSize, .anchor = Anchor::kEnd, .color = kGray});
  }
  if (!chart_.value_title.empty()) {
    svg.text({kMargin + kTextSize - 2, top_ + kPlotHeight / 2},
             chart_.value_title,
             {.size = kTextSize, .anchor = Anchor::kMiddle, .turn = -90});
  }
}

void ChartFrame::draw_categories(Svg& svg) const {
  double line = top_ + kPlotHeight + 18;
  for (size_t i = 0; i < chart_.categories.size(); ++i) {
    const auto& category = chart_.categories[i];
    svg.text({x(i), line}, category.name, {.size = kTextSize, .anchor = Anchor::kMiddle});
    svg.text({x(i), line + kNoteSize + 4},
             category.note,
             {.size = kNoteSize, .anchor = Anchor::kMiddle, .color = kGray});
  }
  line += (has_notes(chart_) ? kNoteSize + 4 : 0) + kTextSize + 12;
  svg.text({left_ + plot_width_ / 2, line},
           chart_.category_title,
           {.size = kTextSize, .anchor = Anchor::kMiddle});
}

Svg ChartFrame::draw() const {
  Svg svg(width_, height_, chart_.title);
  svg.text({kMargin, kMargin + kTitleSize},
           chart_.title,
           {.size = kTitleSize, .color = kDark, .bold = true});
  draw_legend(svg);
  draw_values_axis(svg);
  draw_categories(svg);
  const double base = scale_.first() < 0 && scale_.last() > 0 ? y(0) : top_ + kPlotHeight;
  svg.line({left_, base}, {left_ + plot_width_, base}, {.stroke = kAxis});
  return svg;
}

}  // namespace phraseq::plot
