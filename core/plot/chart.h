#pragma once

#include <optional>
#include <string>
#include <vector>

namespace phraseq::plot {

/// One value of a series, with its interval and the label above it.
struct ChartValue {
  double value = 0;
  std::optional<double> low, high;  ///< both or none
  std::string label;
};

/// One color of a chart.
struct Series {
  std::string name;
  std::vector<std::optional<ChartValue>> values;  ///< one per category; a missing one leaves a gap
};

/// One position on the horizontal axis.
struct Category {
  std::string name;
  std::string note;  ///< in small print below, or nothing
};

/// Values of several series, side by side for each category.
struct Chart {
  std::string title;
  std::string category_title;
  std::string value_title;
  std::vector<Category> categories;
  std::vector<Series> series;
  std::optional<double> lowest, highest;  ///< ends of the value axis; unset: automatic
};

}  // namespace phraseq::plot
