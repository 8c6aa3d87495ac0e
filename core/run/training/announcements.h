#pragma once

#include "core/data/batching/batch_iterator.h"
#include "core/distributed/process_group.h"
#include "core/run/training/train_run.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The first lines of a run's log: size of the model, device, threads, precision, batches.
void announce(const TrainRun& run,
              const TranslationModel& translator,
              const BatchIterator& batches,
              const ProcessGroup& processes);

/// The values that a preset was tested with and that this run uses.
void announce_preset_values(TrainRun& run, const TrainingDefaults& defaults);

/// What the data lets expect: a dictionary that is too large, a validation set that was trained on.
void warn_of_data(const TrainRun& run, const TranslationModel& translator, const Corpus& training);

}  // namespace phraseq
