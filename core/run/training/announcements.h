#pragma once

#include "core/data/batching/batch_iterator.h"
#include "core/distributed/process_group.h"
#include "core/run/training/train_run.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The first lines of a run's log: size of the model, device, threads, precision, batches.
void announce(const TrainRun& run,
              const TranslationModel& translation_model,
              const BatchIterator& batches,
              const ProcessGroup& processes);

/// The values of this run that come from the tested configuration of its preset.
void announce_preset_values(TrainRun& run, const TrainingDefaults& defaults);

}  // namespace phraseq
