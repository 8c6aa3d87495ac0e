#pragma once

#include <string>
#include <vector>

#include "core/plot/curves/learning_curves.h"

namespace phraseq::plot {

/// Which metrics get a panel.
struct MetricSelection {
  std::vector<std::string> keys;
  std::vector<std::string> missing;  ///< known metrics that no run measured, with the reason
};

/// Throws UsageError for a name that no run measured and that no run can measure by default, and
/// DataError if no panel is left.
MetricSelection select_metrics(const std::vector<LabeledRun>& runs,
                               const std::vector<std::string>& wanted);

/// A run's name in a legend: the name of its folder.
std::string run_label(const std::string& run);

}  // namespace phraseq::plot
