#pragma once

#include "core/base/api.h"
#include "core/train/options/checkpoint_options.h"
#include "core/train/train_state.h"

namespace phraseq {

/// The state of a checkpoint that a run goes on with: without what --reset-optimizer and
/// --reset-dataloader leave out, as in fairseq. Without the best score where --reset-meters or
/// --reset-optimizer asks for it, or where this run has another metric.
PHRASEQ_API TrainState resumed_state(const TrainState& recorded,
                                     const CheckpointOptions& options,
                                     bool same_metric);

}  // namespace phraseq
