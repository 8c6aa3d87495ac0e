#pragma once

#include "core/base/api.h"
#include "core/train/options/checkpoint_options.h"
#include "core/train/train_state.h"

namespace phraseq {

/// The state with which a run continues from a checkpoint, without the parts that --reset-optimizer
/// and --reset-dataloader reset, as in fairseq. It has no best score if --reset-meters or
/// --reset-optimizer asks for this, or if this run has a different metric.
PHRASEQ_API TrainState resumed_state(const TrainState& recorded,
                                     const CheckpointOptions& options,
                                     bool same_metric);

}  // namespace phraseq
