#pragma once

#include <string>
#include <vector>

#include "core/plot/panel_chart.h"
#include "core/plot/scale.h"

namespace phraseq::plot {

inline constexpr double kPanelTextSize = 12;
inline constexpr double kLegendSample = 26;

/// The vertical axis of a panel. Very small and very large numbers are divided by a power of ten,
/// which the title states.
struct PanelScale {
  explicit PanelScale(const Panel& panel);

  int exponent = 0;
  Scale scale;
};

/// The layout of a figure with panels, in pixels: title, legend, panels, notes.
struct PanelGrid {
  explicit PanelGrid(const PanelChart& chart);

  /// The picture with title and notes.
  Svg draw(const PanelChart& chart) const;

  size_t columns;
  double plot_width, plot_height;
  double label_width = 0;  ///< of the widest tick label of all panels, so that axes are aligned
  double width, height;
  double first_panel;  ///< y of the first row of panels
  double first_note;
  std::vector<std::string> title_lines, note_lines;
  std::vector<std::string> legend_names;  ///< shortened if they are too long
  std::vector<Point> legend_places;
  double lowest_x = 0, highest_x = 1;

 private:
  void find_range(const PanelChart& chart);
  void place_legend(const PanelChart& chart);
};

/// Axes, grid and title of one panel, and the positions of its values.
class PanelFrame {
 public:
  PanelFrame(const PanelChart& chart, const Panel& panel, const PanelGrid& grid, size_t number);

  void draw(Svg& svg) const;
  Point place(const CurvePoint& point) const;
  double lowest_x() const { return grid_.lowest_x; }
  double highest_x() const { return grid_.highest_x; }
  size_t pixel_columns() const { return static_cast<size_t>(grid_.plot_width); }

 private:
  void draw_values_axis(Svg& svg) const;
  void draw_x_axis(Svg& svg) const;

  const PanelChart& chart_;
  const Panel& panel_;
  const PanelGrid& grid_;
  PanelScale axis_;
  double left_, top_;
  bool is_lowest_;  ///< no panel below it
};

}  // namespace phraseq::plot
