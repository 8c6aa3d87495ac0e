#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/base/line_file.h"
#include "core/train/progress_bar.h"
#include "core/train/tensorboard/tensorboard_log.h"
#include "core/train/train_options.h"
#include "core/train/train_state.h"

namespace phraseq {

/// Where the run is, for a line of the log.
using TrainingPlace = BarPlace;

/// What speeds count.
struct WorkDone {
  int64_t tokens = 0;
  int64_t updates = 0;
};

/// What a person and a plot see of a run: lines (or a bar) on standard error, and `metrics.jsonl`
/// in the save folder, one JSON object with real numbers a line. Losses there are natural
/// logarithms per token; the human lines say base 2, fairseq's habit, beside `ppl`. A full disk
/// never ends a run here (LineFile).
class PHRASEQ_API TrainingLog {
 public:
  /// An empty `folder` writes no metrics.jsonl.
  TrainingLog(const MachineOptions& options, const std::string& folder);
  ~TrainingLog();
  TrainingLog(const TrainingLog&) = delete;
  TrainingLog& operator=(const TrainingLog&) = delete;

  /// Before the first update: the bar then knows where the run ends, and what `state` has of the
  /// run before a resume does not count for speeds.
  void begin(const StopLimits& limits, const TrainingPlace& place, const TrainState& state);
  void interval(const TrainingPlace& place, const IntervalSums& sums);
  void epoch_end(const TrainingPlace& place, const IntervalSums& sums);
  void validation(const TrainingPlace& place, const nlohmann::json& scores);
  /// Of a split that decides nothing.
  void further_validation(const TrainingPlace& place, const nlohmann::json& scores);
  /// A line in metrics.jsonl: {"event": name, …}.
  void event(const std::string& name, nlohmann::json fields);
  void tick(const TrainingPlace& place, const IntervalSums& sums);  ///< the bar moves

  double wall_seconds() const;
  int64_t log_interval() const { return log_interval_; }

 private:
  enum class Style { kBar, kSimple, kJson, kNone };
  static Style style_from(const MachineOptions& options);
  using Line = std::function<std::string(const nlohmann::json& fields)>;
  /// Writes the fields to metrics.jsonl and, where there is a `line` to say them, logs that.
  void record(const std::string& event, nlohmann::json fields, const Line& line);
  void record_validation(const std::string& event,
                         const TrainingPlace& place,
                         nlohmann::json scores);
  void write(const nlohmann::json& fields);

  Style style_;
  int64_t log_interval_;
  std::unique_ptr<LineFile> metrics_;
  ProgressBar bar_;
  std::unique_ptr<tensorboard::TensorBoardLog> tensorboard_;  ///< with --tensorboard-logdir
  double processor_start_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point interval_start_;
  std::chrono::steady_clock::time_point epoch_start_;
  WorkDone interval_before_, epoch_before_;  ///< in the sums, but done before this process began
};

}  // namespace phraseq
