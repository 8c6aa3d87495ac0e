#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/optim/loss_scale/loss_scaler.h"
#include "core/train/train_state.h"
#include "core/train/training_log.h"
#include "core/train/update/update_group.h"

namespace phraseq {

/// Updates whose loss or gradient is not finite. The parameters do not change; too many such
/// updates in a row end the run.
class PHRASEQ_API BadUpdates {
 public:
  /// The run ends at `most_in_a_row`. `folder` may be null. The arguments must outlive the object.
  BadUpdates(TrainState& state,
             TrainingLog& log,
             const CheckpointFolder* folder,
             int64_t most_in_a_row);

  /// Counts and logs an update that was skipped, with its loss if that is not finite, otherwise
  /// with the norm of its gradient. Throws DivergenceError if too many updates in a row were
  /// skipped.
  void note(const SentenceIds& sentence_ids, double loss, double gradient_norm);
  /// A gradient too large for fp16 is not an error: the loss scale is reduced. Any number of these
  /// may follow in a row until the scale reaches its minimum, which ends the run (DivergenceError).
  void note_overflow(LossScaler& scaler);

 private:
  [[noreturn]] void end_diverged(const SentenceIds& sentence_ids) const;

  TrainState& state_;
  TrainingLog& log_;
  const CheckpointFolder* folder_;
  int64_t most_in_a_row_;
};

}  // namespace phraseq
