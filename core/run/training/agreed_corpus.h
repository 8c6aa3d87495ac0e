#pragma once

#include <memory>

#include "core/data/data_loader.h"
#include "core/distributed/process_group.h"
#include "core/run/training/train_run.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The training set, after all processes have agreed on the run that they are about to begin.
std::shared_ptr<Corpus> open_agreed_corpus(const TrainRun& run,
                                           const TranslationModel& translation_model,
                                           ProcessGroup& processes);

}  // namespace phraseq
