#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/plot/curves/metrics_file.h"
#include "core/plot/panel_chart.h"

namespace phraseq::plot {

enum class CurveAxis { kUpdates, kEpochs, kHours, kProcessorHours };
inline constexpr EnumName<CurveAxis> kCurveAxisNames[] = {
    {"updates", CurveAxis::kUpdates},
    {"epochs", CurveAxis::kEpochs},
    {"hours", CurveAxis::kHours},
    {"processor-hours", CurveAxis::kProcessorHours}};

/// Which curves of the runs are drawn, and how.
struct CurveSettings {
  /// Keys of metrics.jsonl; "score" is every score of the validations.
  std::vector<std::string> metrics = {
      "loss", "nll_loss", "score", "lr", "gradient_norm", "tokens_per_second"};
  CurveAxis x = CurveAxis::kUpdates;
  double smoothing = 0;  ///< weight of the past in the average of training curves; 0: off
  std::string title;     ///< empty: made from the label of a single run
};

/// One run in a figure, with its name in the legend.
struct LabeledRun {
  std::string label;
  RunMetrics metrics;
};

/// A panel for each metric that a run measured; missing ones are listed below. Throws a UsageError
/// with the known names for a metric that no run can have. Losses are in bits, as in the log of
/// `train`.
PHRASEQ_API PanelChart learning_curves(const std::vector<LabeledRun>& runs,
                                       const CurveSettings& settings);

/// Draws `folder`/metrics.jsonl into `folder`/learning_curves.svg. Training must not fail because
/// of a figure, so every error becomes a warning.
PHRASEQ_API void write_learning_curves(const std::string& folder);

}  // namespace phraseq::plot
