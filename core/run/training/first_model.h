#pragma once

#include "core/distributed/process_group.h"
#include "core/run/training/train_run.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The task, the architecture and the model of a run, which takes over their selections. Options
/// that the data decides are set in the run's table. The parameters of a new run (`resumes` false)
/// are initialized, or read from --finetune-from-model or --encoder-embed-path, in the first
/// process; the others receive them later.
TranslationModel make_first_model(TrainRun& run, bool resumes, const ProcessGroup& processes);

}  // namespace phraseq
