#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/criterion/loss_report.h"
#include "core/io/json_reader.h"

namespace phraseq {

/// The largest number of updates, epochs or tokens in a valid record: far more than any run has,
/// and small enough that sums do not overflow.
inline constexpr int64_t kMaxUpdates = int64_t{1} << 60;

/// Sums since the last log line, as a checkpoint stores them.
struct PHRASEQ_API IntervalSums {
  LossReport losses;
  double gradient_norm_sum = 0;
  int64_t updates = 0;
  int64_t clipped = 0;  ///< updates whose gradient exceeded --clip-norm
  nlohmann::json to_json() const;
  /// Throws FormatError.
  static IntervalSums from_json(const JsonEntry& json);
};

/// When the last validation took place, and its result.
struct PHRASEQ_API LastValidation {
  int64_t updates = -1;  ///< updates of the run at that time; -1 = never
  double value = 0;      ///< value of --best-checkpoint-metric
};

/// Everything that changes during training, apart from parameters, moments and the position in the
/// data. It is one object that is saved as a whole, so no field can be forgotten when a run is
/// resumed.
struct PHRASEQ_API TrainState {
  int64_t updates = 0;
  int64_t finished_epochs = 0;
  int64_t bad_updates_in_a_row = 0;
  int64_t bad_updates = 0;
  std::optional<double> best;  ///< best value of --best-checkpoint-metric so far
  /// The value of checkpoint_best: equals `best` unless the best model could not be saved.
  std::optional<double> saved_best;
  int64_t validations_without_better = 0;
  LastValidation last_validation;
  std::map<std::string, double> scheduler;  ///< LrScheduler::state
  nlohmann::json loss_scaler;               ///< LossScaler::state; null without --fp16
  IntervalSums interval;
  IntervalSums epoch;

  nlohmann::json to_json() const;
  /// Throws FormatError.
  static TrainState from_json(const JsonEntry& json);
};

}  // namespace phraseq
