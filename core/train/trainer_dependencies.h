#pragma once

#include <cstdint>
#include <vector>

#include "core/base/signals.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/data/batching/batch_iterator.h"
#include "core/distributed/process_group.h"
#include "core/distributed/sharding/sharded_optimizer.h"
#include "core/nn/context.h"
#include "core/optim/loss_scale/loss_scaler.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/optimizer.h"
#include "core/optim/parameter_average.h"
#include "core/train/micro_batches/micro_batch_workers.h"
#include "core/train/options/checkpoint_options.h"
#include "core/train/options/optimization_options.h"
#include "core/train/options/validation_options.h"
#include "core/train/training_log.h"
#include "core/train/update/update_gradients.h"
#include "core/train/validation/validator.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// Everything a trainer uses; all of it must outlive the trainer. `validator`, `folder` and
/// `average` may be null. If there are several processes, only the first one has a folder.
struct TrainerDependencies {
  TranslationModel* translation_model = nullptr;
  MicroBatchWorkers* workers = nullptr;  ///< with instances of `translation_model`
  Optimizer* optimizer = nullptr;
  LrScheduler* scheduler = nullptr;
  BatchIterator* batches = nullptr;
  Validator* validator = nullptr;
  CheckpointFolder* folder = nullptr;
  TrainingLog* log = nullptr;
  StopSignals* signals = nullptr;
  ParameterAverage* average = nullptr;
  ProcessGroup* processes = &single_process();
  ShardedOptimizer* sharded = nullptr;  ///< `optimizer` if its state is divided, otherwise null
  std::vector<Validator*> further_validators;  ///< of splits that do not select checkpoints
};

/// The user's settings for a Trainer.
struct TrainerOptions {
  OptimizationOptions optimization;
  ValidationOptions validation;
  CheckpointOptions checkpoints;
  nn::Precision precision = nn::Precision::kFp32;
  uint64_t seed = 1;
  SumSettings sums;             ///< how processes sum their gradients
  LossScaleOptions loss_scale;  ///< with fp16
  bool checkpoint_activations = false;
  const OptionTable* table = nullptr;  ///< all options, for the checkpoint; not owned
};

}  // namespace phraseq
