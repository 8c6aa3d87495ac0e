#pragma once

#include <cstdint>

#include "core/data/batching/batch_iterator.h"
#include "core/distributed/process_group.h"
#include "core/nn/architecture.h"
#include "core/optim/lr_scheduler.h"
#include "core/run/training/train_run.h"
#include "core/train/trainer_dependencies.h"
#include "core/train/validation/validator.h"
#include "core/translate/translation_model.h"

/// The options of a run in the form that the components of its training take.
namespace phraseq {

BatchingOptions training_batches(const TrainRun& run, const Architecture& model);

/// The logging options, without the output that only the first process writes.
MachineOptions logging_of(const TrainRun& run, const ProcessGroup& processes);

/// Bytes that training will allocate besides its batches: a second buffer of gradients if several
/// batches or processes are summed, and the average of the parameters.
int64_t reserved_bytes(const TrainRun& run,
                       const TranslationModel& translation_model,
                       const ProcessGroup& processes);

/// The options refer to `run`.
TrainerOptions trainer_options(const TrainRun& run);

/// `validator` selects the checkpoints; null without validation.
LrSchedulerSetup scheduler_setup(const TrainRun& run,
                                 const TranslationModel& translation_model,
                                 const Validator* validator);

}  // namespace phraseq
