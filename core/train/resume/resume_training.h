#pragma once

#include <string>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/optim/loss_scale/loss_scaler.h"
#include "core/train/train_checkpoint.h"
#include "core/train/train_state.h"
#include "core/train/trainer_dependencies.h"

namespace phraseq {

/// The checkpoint from which a run continues.
struct ResumedCheckpoint {
  const std::string& path;
  const TrainRecord& record;
  const CheckpointFile* file;  ///< null in all processes but the first
};

/// Restores the parameters, the optimizer, the learning rate, the loss scale and the position in
/// the data, and returns the state with which the run continues. The first process sends the
/// tensors to the others later (share_parameters). `scaler` is null without fp16. Throws a
/// UsageError that lists the options that differ, except those allowed by --allow-changed.
PHRASEQ_API TrainState resume_training(const TrainerDependencies& dependencies,
                                       const TrainerOptions& options,
                                       LossScaler* scaler,
                                       const ResumedCheckpoint& checkpoint);

}  // namespace phraseq
