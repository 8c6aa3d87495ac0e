#include "core/plot/curves/learning_curves.h"

#include <cmath>
#include <exception>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/log.h"
#include "core/io/atomic_file.h"
#include "core/plot/curves/metric_selection.h"
#include "core/plot/curves/metric_title.h"
#include "core/plot/curves/smoothing.h"

namespace phraseq::plot {
namespace {

constexpr size_t kValidationOfOneRun = 4;  ///< vermilion, in contrast to the blue of training

double x_of(const Measurement& point, CurveAxis axis) {
  switch (axis) {
    case CurveAxis::kUpdates:
      return point.updates;
    case CurveAxis::kEpochs:
      return point.epochs;
    case CurveAxis::kHours:
      return point.time.hours;
    case CurveAxis::kProcessorHours:
      return point.time.processor_hours;
  }
  return 0;
}

const char* axis_title(CurveAxis axis) {
  switch (axis) {
    case CurveAxis::kUpdates:
      return "Updates";
    case CurveAxis::kEpochs:
      return "Epochs";
    case CurveAxis::kHours:
      return "Hours of training";
    case CurveAxis::kProcessorHours:
      return "Processor hours of training";
  }
  return "";
}

const std::vector<Measurement>& series(const Measurements& all, const std::string& key) {
  static const std::vector<Measurement> none;
  const auto found = all.find(key);
  return found == all.end() ? none : found->second;
}

/// The values by interval or, if a short run has fewer intervals than epochs, by epoch.
const std::vector<Measurement>& training_series(const RunMetrics& run, const std::string& key) {
  const auto& intervals = series(run.intervals, key);
  const auto& epochs = series(run.epochs, key);
  return intervals.size() >= epochs.size() ? intervals : epochs;
}

/// Collects the panels, and the notes of the picture.
class CurvePainter {
 public:
  CurvePainter(const std::vector<LabeledRun>& runs, const CurveSettings& settings)
      : runs_(runs), settings_(settings) {}

  PanelChart draw() {
    chart_.title = title();
    chart_.x_title = axis_title(settings_.x);
    chart_.whole_x = settings_.x == CurveAxis::kUpdates;
    const MetricSelection selection = select_metrics(runs_, settings_.metrics);
    for (const auto& key : selection.keys) add_panel(key);
    add_legend();
    add_notes(selection);
    return std::move(chart_);
  }

 private:
  std::string title() const {
    if (!settings_.title.empty())
      return settings_.title;
    return runs_.size() == 1 ? "Learning curves: " + runs_.front().label : "Learning curves";
  }

  CurveStyle style(size_t run, bool validation) const {
    const bool alone = runs_.size() == 1;
    if (validation)
      return {.color = alone ? kValidationOfOneRun : run, .width = 2.2, .marks = true};
    return {.color = run, .width = 1.3, .opacity = alone ? 1 : 0.75};
  }

  std::vector<CurvePoint> points_of(const std::vector<Measurement>& measured,
                                    const std::string& key,
                                    const std::string& label) {
    std::vector<CurvePoint> points;
    int64_t lost = 0;
    for (const auto& point : measured) {
      const double x = x_of(point, settings_.x);
      lost += std::isfinite(point.value) ? 0 : 1;
      if (std::isfinite(x))
        points.push_back({x, point.value * metric_factor(key)});
      else
        without_place_.insert(label);
    }
    if (lost > 0) {
      const std::string owner = runs_.size() == 1 ? "" : " of " + label;
      not_finite_.push_back(fmt::format("{} of {} {}{}", lost, measured.size(), key, owner));
    }
    return points;
  }

  void add_panel(const std::string& key) {
    Panel panel{metric_title(key), {}, starts_at_zero(key)};
    std::vector<std::string> missing;
    for (size_t run = 0; run < runs_.size(); ++run) {
      const auto& [label, metrics] = runs_[run];
      const auto training = points_of(training_series(metrics, key), key, label);
      const auto validation = points_of(series(metrics.validations, key), key, label);
      if (!training.empty())
        add_training(panel, training, run);
      if (!validation.empty())
        panel.curves.push_back(
            {label + ", validation", validation, style(run, /*validation=*/true)});
      has_training_ = has_training_ || !training.empty();
      has_validation_ = has_validation_ || !validation.empty();
      const bool is_measured =
          !training_series(metrics, key).empty() || !series(metrics.validations, key).empty();
      if (!is_measured && !metrics.is_empty())
        missing.push_back(label);
    }
    if (!missing.empty())
      incomplete_.push_back(fmt::format("No {}: {}.", key, fmt::join(missing, ", ")));
    chart_.panels.push_back(std::move(panel));
  }

  void add_training(Panel& panel, const std::vector<CurvePoint>& points, size_t run) {
    Curve curve{runs_[run].label + ", training", points, style(run, /*validation=*/false)};
    if (settings_.smoothing > 0) {
      Curve faint = curve;
      faint.style.opacity = 0.25;
      panel.curves.push_back(std::move(faint));
      curve.points = moving_average(points, settings_.smoothing);
    }
    panel.curves.push_back(std::move(curve));
  }

  void add_legend() {
    const bool alone = runs_.size() == 1;
    for (size_t run = 0; run < runs_.size() && !alone; ++run) {
      CurveStyle line = style(run, /*validation=*/false);
      line.width = 2.5;
      line.opacity = 1;
      chart_.legend.push_back({runs_[run].label, line});
    }
    for (const bool validation : {false, true}) {
      CurveStyle line = style(0, validation);
      line.gray = !alone;
      if (validation ? has_validation_ : has_training_)
        chart_.legend.push_back({validation ? "validation" : "training", line});
    }
  }

  void add_notes(const MetricSelection& selection) {
    if (settings_.smoothing > 0) {
      chart_.notes.push_back(
          fmt::format("Training curves: exponential moving average, weight {:g}; the measured "
                      "values are drawn in a pale color.",
                      settings_.smoothing));
    }
    if (!selection.missing.empty())
      chart_.notes.push_back(fmt::format("Not recorded: {}.", fmt::join(selection.missing, ", ")));
    for (const auto& text : incomplete_) chart_.notes.push_back(text);
    if (!without_place_.empty()) {
      chart_.notes.push_back(fmt::format("Measurements without \"{}\" are left out: {}.",
                                         axis_title(settings_.x),
                                         fmt::join(without_place_, ", ")));
    }
    if (!not_finite_.empty()) {
      chart_.notes.push_back(fmt::format("Values that are not finite, drawn as gaps: {}.",
                                         fmt::join(not_finite_, "; ")));
    }
    for (const auto& run : runs_) {
      if (run.metrics.is_empty())
        chart_.notes.push_back(fmt::format("No measurements yet: {}.", run.label));
    }
  }

  const std::vector<LabeledRun>& runs_;
  const CurveSettings& settings_;
  PanelChart chart_;
  bool has_training_ = false, has_validation_ = false;
  std::vector<std::string> incomplete_, not_finite_;
  std::set<std::string> without_place_;  ///< labels of runs without a position on the axis
};

void draw_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  LabeledRun run{run_label(folder), read_run_metrics(folder)};
  if (run.metrics.is_empty())
    return;
  const Svg picture = panel_chart(learning_curves({std::move(run)}, {}));
  write_file((fs::path(folder) / "learning_curves.svg").string(), picture.document());
}

}  // namespace

PanelChart learning_curves(const std::vector<LabeledRun>& runs, const CurveSettings& settings) {
  return CurvePainter(runs, settings).draw();
}

void write_learning_curves(const std::string& folder) {
  try {
    draw_folder(folder);
  } catch (const std::exception& failure) {
    log_warning(fmt::format("learning_curves.svg was not written: {}", failure.what()));
  }
}

}  // namespace phraseq::plot
