#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/plot/svg.h"
#include "core/plot/thin_out.h"

namespace phraseq::plot {

/// The style of a curve, in the panels and in the legend.
struct CurveStyle {
  size_t color = 0;    ///< for series_color; dashed from the ninth on, because colors repeat
  bool gray = false;   ///< instead of the color: for a legend that explains only the width
  double width = 1.5;  ///< pixels
  double opacity = 1;
  bool marks = false;  ///< a dot at every point, unless there are too many
};

/// A line through points sorted by x; it breaks where a y is not finite.
struct Curve {
  std::string name;  ///< shown with the numbers on hovering over a mark
  std::vector<CurvePoint> points;
  CurveStyle style;
};

/// One diagram of the chart, with its own vertical axis.
struct Panel {
  std::string title;
  std::vector<Curve> curves;
  bool from_zero = false;  ///< the vertical axis begins at 0
};

/// One line of a legend.
struct LegendEntry {
  std::string name;
  CurveStyle style;
};

/// Several panels over one horizontal axis.
struct PanelChart {
  std::string title;
  std::string x_title;
  bool whole_x = false;  ///< ticks only at whole numbers
  std::vector<LegendEntry> legend;
  std::vector<Panel> panels;
  std::vector<std::string> notes;  ///< in small print below
};

/// One wide panel, or rows of two. Curves with more points than the picture can show are thinned.
PHRASEQ_API Svg panel_chart(const PanelChart& chart);

}  // namespace phraseq::plot
