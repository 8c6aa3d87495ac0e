#pragma once

#include <string>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/run/training/train_run.h"
#include "core/train/train_state.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The last lines of a training log: the best checkpoint with its score (the last one if nothing
/// was validated), and a command that translates with it, ready to be pasted into a shell. The
/// command translates the data folder's split `test`, otherwise the validation set, otherwise
/// standard input. Empty if the folder has no checkpoint.
PHRASEQ_API std::string training_summary(const TrainRun& run,
                                         const TrainState& state,
                                         const CheckpointFolder& folder,
                                         const TranslationModel& translation_model);

}  // namespace phraseq
