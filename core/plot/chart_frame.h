#pragma once

#include <vector>

#include "core/plot/chart.h"
#include "core/plot/scale.h"
#include "core/plot/svg.h"

namespace phraseq::plot {

/// Everything in a chart except its values: sizes, title, legend, axes and grid.
class ChartFrame {
 public:
  /// Every category gets `category_width` pixels, or more if its name needs them.
  ChartFrame(const Chart& chart, const Scale& scale, double category_width);

  Svg draw() const;
  double category_width() const { return category_width_; }
  /// The x-coordinate of the middle of a category, and the y-coordinate of a value.
  double x(size_t category) const;
  double y(double value) const;

 private:
  void draw_values_axis(Svg& svg) const;
  void draw_categories(Svg& svg) const;
  void draw_legend(Svg& svg) const;
  /// The positions of the legend's entries, line by line.
  std::vector<Point> legend_places() const;

  const Chart& chart_;
  const Scale& scale_;
  double category_width_;
  double width_, height_;
  double left_, top_, plot_width_;
};

/// The scale for all values and intervals; with `zero`, it also includes zero.
Scale value_scale(const Chart& chart, bool zero);

/// A thin vertical line with serifs from `low` to `high`.
void draw_interval(Svg& svg, double x, double low_y, double high_y, const std::string& color);

}  // namespace phraseq::plot
