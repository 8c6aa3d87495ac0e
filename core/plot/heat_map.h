#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/plot/svg.h"

namespace phraseq::plot {

/// A number of neighboring rows or columns that form a group; the name may be empty.
struct LabelGroup {
  std::string name;
  size_t size = 0;
};

/// The labels of the rows or of the columns.
struct HeatMapAxis {
  std::string title;
  std::vector<std::string> labels;
  /// The sizes of the groups add up to the number of labels; a line is drawn between two groups.
  /// Empty = one group.
  std::vector<LabelGroup> groups;
};

/// A matrix of numbers, drawn as shades.
struct HeatMap {
  std::string title;
  HeatMapAxis rows, columns;
  std::vector<double> values;  ///< row by row
  double lowest = 0;           ///< white
  double highest = 1;          ///< the darkest shade
};

/// The matrix with its labels and the scale of its shades; hovering over a cell shows its number.
/// Throws UsageError if the number of values, or of grouped labels, does not fit the labels.
PHRASEQ_API Svg heat_map(const HeatMap& map);

}  // namespace phraseq::plot
