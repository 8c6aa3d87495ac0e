#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace phraseq {

/// How far a run is. The log shows it, the stop limits are compared with it, and checkpoints are
/// named after it.
struct TrainingProgress {
  int64_t epoch = 1;
  int64_t batch = 0;    ///< batches delivered so far in this epoch
  int64_t batches = 0;  ///< batches in this epoch
  int64_t updates = 0;
  int64_t finished_epochs = 0;
  double wall_seconds = 0;  ///< since the log was opened
  double learning_rate = 0;
  bool learning_rate_rises = false;        ///< the rate is higher than at the last update
  std::optional<double> loss_scale = {};   ///< with --fp16
  int64_t validations_without_better = 0;  ///< since the best one
  std::optional<double> best = {};         ///< best value of the validations so far
  std::string best_metric = {};            ///< "loss", "bleu"

  /// The part of this epoch that is done, from 0 to 1.
  double fraction_of_epoch() const {
    return batches > 0 ? static_cast<double>(batch) / static_cast<double>(batches) : 0.0;
  }
  /// True after the last update of an epoch, until the epoch counts as finished.
  bool is_at_end_of_epoch() const {
    return batches > 0 && batch == batches && finished_epochs < epoch;
  }
  /// Epochs done so far: 2.5 in the middle of the third.
  double epochs() const { return static_cast<double>(epoch - 1) + fraction_of_epoch(); }
};

}  // namespace phraseq
