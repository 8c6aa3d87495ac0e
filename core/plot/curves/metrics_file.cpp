#include "core/plot/curves/metrics_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/line_reader.h"
#include "core/plot/curves/metrics_record.h"

namespace phraseq::plot {
namespace {

constexpr int64_t kLongestRecord = int64_t{1} << 28;

/// Collects records in the order of the file. The records of a resumed run replace those that they
/// repeat, and a run that starts from scratch replaces everything.
class RecordCollector {
 public:
  void add(const MetricsRecord& record) {
    const bool is_resume = record.event == MetricsEvent::kResume;
    const bool is_start = record.event == MetricsEvent::kStart;
    if (is_resume || is_start || begins_process(record)) {
      forget(record.updates, /*keep_equal=*/is_resume);
      time_before_ = time_;
    }
    wall_ = record.wall;
    if (is_resume || is_start)
      return;
    time_ = {time_before_.hours + (std::isfinite(record.wall) ? record.wall / 3600 : 0),
             time_before_.processor_hours + record.processor / 3600};
    updates_ = record.updates;
    place(record);
  }

  RunMetrics finish() {
    for (auto& [name, points] : metrics_.validations) set_epochs(points);
    return std::move(metrics_);
  }

 private:
  /// The end of an interval or an epoch.
  struct Anchor {
    double updates, epochs;
  };

  /// Whether a new process begins without an event that says so: the clock or the number of updates
  /// decreases.
  bool begins_process(const MetricsRecord& record) const {
    return record.wall < wall_ || record.updates < updates_;
  }

  void forget(double updates, bool keep_equal) {
    const auto is_kept = [&](double at) { return at < updates || (keep_equal && at == updates); };
    const auto cut = [&](auto& points) {
      while (!points.empty() && !is_kept(points.back().updates)) points.pop_back();
    };
    time_ = {};
    for (auto* part : {&metrics_.intervals, &metrics_.epochs, &metrics_.validations}) {
      for (auto& [name, points] : *part) {
        cut(points);
        if (!points.empty() && points.back().time.hours > time_.hours)
          time_ = points.back().time;
      }
    }
    cut(anchors_);
    updates_ = updates;
  }

  void place(const MetricsRecord& record) {
    if (std::isfinite(record.position))
      anchors_.push_back({record.updates, record.position});
    if (!record.score_name.empty())
      metrics_.scores.insert(record.score_name);
    Measurements& part = record.event == MetricsEvent::kInterval ? metrics_.intervals
                         : record.event == MetricsEvent::kEpoch  ? metrics_.epochs
                                                                 : metrics_.validations;
    const double epochs = std::isfinite(record.position) ? record.position : record.epoch;
    for (const auto& [name, value] : record.values) {
      auto& points = part[name];
      const Measurement point{record.updates, epochs, time_, value};
      if (!points.empty() && points.back().updates == record.updates)
        points.back() = point;
      else
        points.push_back(point);
    }
  }

  /// Sets the positions of validations. Their records contain only the epoch, so its share is
  /// interpolated between the training records around them.
  void set_epochs(std::vector<Measurement>& points) const {
    for (Measurement& point : points) {
      const auto after = std::lower_bound(
          anchors_.begin(), anchors_.end(), point.updates, [](const Anchor& a, double updates) {
            return a.updates < updates;
          });
      const Anchor before = after == anchors_.begin() ? Anchor{} : *std::prev(after);
      const Anchor& next = after == anchors_.end() ? before : *after;
      if (!(next.updates > 0))
        continue;
      const Anchor from = after == anchors_.end() ? Anchor{} : before;
      const double share = (point.updates - from.updates) / (next.updates - from.updates);
      const double epochs = from.epochs + share * (next.epochs - from.epochs);
      point.epochs =
          std::isfinite(point.epochs) ? std::clamp(epochs, point.epochs - 1, point.epochs) : epochs;
    }
  }

  RunMetrics metrics_;
  std::vector<Anchor> anchors_;
  double wall_ = -std::numeric_limits<double>::infinity();
  double updates_ = -std::numeric_limits<double>::infinity();
  TrainingTime time_, time_before_;
};

std::string metrics_path(const std::string& run) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(run, ignored))
    return run;
  const std::string path = (std::filesystem::path(run) / "metrics.jsonl").string();
  if (!std::filesystem::exists(path, ignored)) {
    throw DataError(fmt::format("{}: the folder contains no metrics.jsonl", run),
                    "Give the --save-dir of a training run; with --no-save, train writes no "
                    "metrics.jsonl.");
  }
  return path;
}

}  // namespace

RunMetrics read_run_metrics(const std::string& run) {
  const std::string path = metrics_path(run);
  LineReader lines(path, {kLongestRecord, OnBadLine::kSkip});
  RecordCollector collector;
  int64_t bad_lines = 0, first_bad_line = 0, events = 0;
  for (std::string line; lines.next(line);) {
    if (line.empty() && !lines.bad())
      continue;
    const auto record = parse_metrics_record(line);
    if (!record) {
      first_bad_line = bad_lines++ == 0 ? lines.line_number() : first_bad_line;
      continue;
    }
    ++events;
    if (record->event != MetricsEvent::kOther)
      collector.add(*record);
  }
  if (events == 0 && bad_lines > 0) {
    throw DataError(TextPlace{path, first_bad_line},
                    "not a record of metrics.jsonl: expected a JSON object with \"event\"",
                    "Give the --save-dir of a training run, or its metrics.jsonl.");
  }
  RunMetrics metrics = collector.finish();
  metrics.path = path;
  metrics.bad_lines = bad_lines;
  metrics.first_bad_line = first_bad_line;
  return metrics;
}

std::string bad_lines_text(const RunMetrics& metrics) {
  if (metrics.bad_lines == 0)
    return {};
  return fmt::format(
      "{}:{}: not a complete JSON object; {} left out. This happens when a process is killed",
      metrics.path,
      metrics.first_bad_line,
      metrics.bad_lines == 1 ? "the line was"
                             : fmt::format("{} such lines were", metrics.bad_lines));
}

}  // namespace phraseq::plot
