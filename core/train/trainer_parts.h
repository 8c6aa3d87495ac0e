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
#include "core/train/shares/training_shares.h"
#include "core/train/train_options.h"
#include "core/train/training_log.h"
#include "core/train/update/update_gradients.h"
#include "core/train/validation/validator.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// What a trainer works with; all outlive it. `validator`, `folder` and `average` may be null. Of
/// several processes, the first has a folder.
struct TrainerParts {
  TranslationModel* translator = nullptr;
  TrainingShares* shares = nullptr;  ///< of this model
  Optimizer* optimizer = nullptr;
  LrScheduler* scheduler = nullptr;
  BatchIterator* batches = nullptr;
  Validator* validator = nullptr;
  CheckpointFolder* folder = nullptr;
  TrainingLog* log = nullptr;
  StopSignals* signals = nullptr;
  ParameterAverage* average = nullptr;
  ProcessGroup* processes = &single_process();
  ShardedOptimizer* sharded = nullptr;         ///< the optimizer, where its state is divided
  std::vector<Validator*> further_validators;  ///< of splits that decide nothing
};

struct TrainerOptions {
  OptimizationOptions optimization;
  ValidationOptions validation;
  CheckpointOptions checkpoints;
  nn::Precision precision = nn::Precision::kFp32;
  uint64_t seed = 1;
  SumSettings sums;             ///< of gradients between processes
  LossScaleOptions loss_scale;  ///< with fp16
  bool checkpoint_activations = false;
  const OptionTable* table = nullptr;  ///< everything chosen, for the checkpoint; not owned
};

}  // namespace phraseq
