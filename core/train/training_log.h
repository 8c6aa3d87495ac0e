#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/base/line_file.h"
#include "core/train/options/machine_options.h"
#include "core/train/progress_bar.h"
#include "core/train/tensorboard/tensorboard_log.h"
#include "core/train/train_state.h"
#include "core/train/training_progress.h"

namespace phraseq {

struct ValidationResult;

/// The amounts of work that speeds are computed from.
struct WorkDone {
  int64_t tokens = 0;
  int64_t updates = 0;
};

/// The log of a run: lines (or a bar) on standard error for people, and `metrics.jsonl` in the save
/// folder, one JSON object with unrounded numbers per line, for programs. Losses there are natural
/// logarithms per token; the lines for people have base 2, as in fairseq, and `ppl`. A full disk
/// never ends a run here (LineFile).
class PHRASEQ_API TrainingLog {
 public:
  /// An empty `folder` writes no metrics.jsonl.
  TrainingLog(const MachineOptions& options, const std::string& folder);
  ~TrainingLog();
  TrainingLog(const TrainingLog&) = delete;
  TrainingLog& operator=(const TrainingLog&) = delete;

  /// Call before the first update: tells the bar where the run ends, and excludes from the speeds
  /// the work done before a resume, which `state` includes.
  void begin(const StopLimits& limits, const TrainingProgress& progress, const TrainState& state);
  void interval(const TrainingProgress& progress, const IntervalSums& sums);
  void epoch_end(const TrainingProgress& progress, const IntervalSums& sums);
  void validation(const TrainingProgress& progress, const ValidationResult& result);
  /// Logs a validation split that does not select checkpoints.
  void further_validation(const TrainingProgress& progress, const ValidationResult& result);
  /// Writes a line to metrics.jsonl: {"event": name, …}.
  void event(const std::string& name, nlohmann::json fields);
  void tick(const TrainingProgress& progress, const IntervalSums& sums);  ///< advances the bar

  double wall_seconds() const;
  int64_t log_interval() const { return log_interval_; }

 private:
  enum class Style { kBar, kSimple, kJson, kNone };
  static Style style_from(const MachineOptions& options);
  using Line = std::function<std::string(const nlohmann::json& fields)>;
  /// Writes the fields to metrics.jsonl and, if `line` is not empty, logs its text.
  void record(const std::string& event, nlohmann::json fields, const Line& line);
  void record_validation(const std::string& event,
                         const TrainingProgress& progress,
                         nlohmann::json fields,
                         const ValidationResult& result,
                         const std::string& best);
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
  WorkDone interval_before_, epoch_before_;  ///< work in the sums that earlier processes did
};

}  // namespace phraseq
